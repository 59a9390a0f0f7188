import { eq } from 'drizzle-orm'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { describe, expect, it, vi } from 'vitest'
import { users, walletNonces } from '../../src/db/schema.ts'
import { aUser, db } from '../support/makers.ts'
import {
  aVisitor,
  aWallet,
  CHAIN_ID,
  offered,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const PATH = '/sign-in/wallet'
type Wallet = ReturnType<typeof aWallet>

const send = async (visitor: Visitor, wallet: Wallet, message: string) =>
  visitor.send(PATH, { message, signature: await wallet.signMessage({ message }) })

async function expectRefused(response: Response, because: RegExp, status = 401) {
  expect(response.status).toBe(status)
  const { error } = await response.json<{ error: string }>()
  expect(error).toMatch(because)
  expect(response.headers.getSetCookie().join()).not.toContain('token=')
}

/** The message that was offered, with some of its fields changed. */
const changed = (message: string, fields: Partial<Parameters<typeof createSiweMessage>[0]>) =>
  createSiweMessage({
    ...(parseSiweMessage(message) as Parameters<typeof createSiweMessage>[0]),
    ...fields,
  })

it('makes a new wallet a new user, and knows it the next time', async () => {
  const wallet = aWallet()
  const first = await signInByWallet(aVisitor(), wallet)
  expect(first.status).toBe(200)
  const { userId } = await first.json<{ userId: number }>()
  const [user] = await db.select().from(users).where(eq(users.id, userId))
  expect(user).toMatchObject({ provider: 'wallet', ethereumPublicAddr: wallet.address, email: '' })
  const again = await signInByWallet(aVisitor(), wallet)
  expect(await again.json()).toEqual({ userId })
})

it('gives the session in a cookie that no script reads and no plain connection carries', async () => {
  const visitor = aVisitor()
  const response = await signInByWallet(visitor)
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith('token='))
  const [, ...attributes] = cookie?.split('; ') ?? []
  expect(attributes.sort()).toEqual([
    'HttpOnly',
    'Max-Age=86400',
    'Path=/',
    'SameSite=Lax',
    'Secure',
  ])
  expect((await visitor.get('/api/public/user/me/deliveryAddresses')).status).toBe(200)
})

it('signs in with an address that is not in its EIP-55 spelling as the same user', async () => {
  const wallet = aWallet()
  const { userId } = await (await signInByWallet(aVisitor(), wallet)).json<{ userId: number }>()
  const visitor = aVisitor()
  const address = wallet.address.toLowerCase()
  const offer = await visitor.send('/sign-in/wallet/message', {
    address,
    chainId: CHAIN_ID,
    purpose: 'sign-in',
  })
  const { message } = await offer.json<{ message: string }>()
  expect(await (await send(visitor, wallet, message)).json()).toEqual({ userId })
})

describe('a message that does not sign in', () => {
  it('was used before', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet)
    const secret = visitor.cookies.get('wallet') ?? ''
    expect((await send(visitor, wallet, message)).status).toBe(200)
    visitor.cookies.clear()
    visitor.cookies.set('wallet', secret)
    await expectRefused(await send(visitor, wallet, message), /used before/)
  })

  it('was stolen: it is of no use in another browser', async () => {
    const victim = aVisitor()
    const wallet = aWallet()
    const message = await offered(victim, wallet)
    const thief = aVisitor()
    await expectRefused(await send(thief, wallet, message), /another browser/)
    await offered(thief, wallet)
    await expectRefused(await send(thief, wallet, message), /another browser/)
    expect((await send(victim, wallet, message)).status).toBe(200)
  })

  it('is for another domain', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet)
    for (const domain of ['evil.test', 'marketplace.test.evil.test', 'marketplace.test:8080'])
      await expectRefused(await send(visitor, wallet, changed(message, { domain })), /is for/)
  })

  it('is for another URI, with our domain on its face', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = changed(await offered(visitor, wallet), { uri: 'https://evil.test' })
    await expectRefused(await send(visitor, wallet, message), /not the one that was offered/)
  })

  it('is for a chain that the marketplace is not on', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = changed(await offered(visitor, wallet), { chainId: 1 })
    await expectRefused(await send(visitor, wallet, message), /chainId/, 400)
    const offer = await visitor.send('/sign-in/wallet/message', {
      address: wallet.address,
      chainId: 1,
      purpose: 'sign-in',
    })
    expect(offer.status).toBe(400)
  })

  it('has expired', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet)
    vi.useFakeTimers({ now: Date.now() + 10 * 60 * 1000, toFake: ['Date'] })
    try {
      await expectRefused(await send(visitor, wallet, message), /expired/)
    } finally {
      vi.useRealTimers()
    }
  })

  it('says that it expires later than it was offered for, once the nonce is over', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = changed(await offered(visitor, wallet), {
      expirationTime: new Date(Date.now() + 24 * 60 * 60 * 1000),
    })
    const { nonce = '' } = parseSiweMessage(message)
    await db
      .update(walletNonces)
      .set({ expiresAt: '2026-01-01T00:00:00.000Z' })
      .where(eq(walletNonces.nonce, nonce))
    await expectRefused(await send(visitor, wallet, message), /expired/)
  })

  it('has a nonce that was never offered', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet)
    const { nonce = '' } = parseSiweMessage(message)
    await db.delete(walletNonces).where(eq(walletNonces.nonce, nonce))
    await expectRefused(await send(visitor, wallet, message), /used before/)
  })

  it('was meant to link the wallet to an account', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet, 'link')
    await expectRefused(await send(visitor, wallet, message), /not the one that was offered/)
  })

  it('carries more than we wrote', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await offered(visitor, wallet)
    await expectRefused(await send(visitor, wallet, `${message}\n`), /not the one/)
    await expectRefused(await send(visitor, wallet, 'Sign me in'), /the one that was offered/, 400)
  })
})

it('lets no other site ask for a message or send one', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  const message = await offered(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  for (const path of [PATH, '/sign-in/wallet/message']) {
    const response = await visitor.send(path, { message, signature }, { headers })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'cross_site' })
  }
})

it('signs nobody in to an account that is closed', async () => {
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address, removedAt: '2026-01-01T00:00:00.000Z' })
  const response = await signInByWallet(aVisitor(), wallet)
  await expectRefused(response, /closed/, 403)
})

it('allows only so many attempts a minute from one address', async () => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) < 2 })
  const visitor = aVisitor()
  const wanted = { address: aWallet().address, chainId: CHAIN_ID, purpose: 'sign-in' }
  const options = {
    headers: { 'cf-connecting-ip': '192.0.2.7' },
    env: { SIGN_IN_LIMIT: { limit } },
  }
  expect((await visitor.send('/sign-in/wallet/message', wanted, options)).status).toBe(200)
  const response = await visitor.send('/sign-in/wallet/message', wanted, options)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(keys).toEqual(['192.0.2.7', '192.0.2.7'])
})
