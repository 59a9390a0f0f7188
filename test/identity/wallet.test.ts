import { eq } from 'drizzle-orm'
import { zeroAddress } from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { describe, expect, it, vi } from 'vitest'
import { tokens, users, walletNonces } from '../../src/db/schema/users.ts'
import { BASE_URL } from '../support/api.ts'
import { aUser, db } from '../support/makers.ts'
import {
  aVisitor,
  aWallet,
  CHAIN_ID,
  requestMessage,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const PATH = '/sign-in/wallet'
type Wallet = ReturnType<typeof aWallet>

const signAndSend = async (visitor: Visitor, wallet: Wallet, message: string) =>
  visitor.postJson(PATH, { message, signature: await wallet.signMessage({ message }) })

async function expectError(response: Response, message: RegExp, status = 401) {
  expect(response.status).toBe(status)
  const { error } = await response.json<{ error: string }>()
  expect(error).toMatch(message)
  expect(response.headers.getSetCookie().join()).not.toContain('token=')
}

/** Returns the message with some fields changed. */
const withFields = (message: string, fields: Partial<Parameters<typeof createSiweMessage>[0]>) =>
  createSiweMessage({
    ...(parseSiweMessage(message) as Parameters<typeof createSiweMessage>[0]),
    ...fields,
  })

it('creates a user for a new wallet, and signs in the same user the next time', async () => {
  const wallet = aWallet()
  const first = await signInByWallet(aVisitor(), wallet)
  expect(first.status).toBe(200)
  const { userId } = await first.json<{ userId: number }>()
  const [user] = await db.select().from(users).where(eq(users.id, userId))
  expect(user).toMatchObject({ provider: 'wallet', ethereumPublicAddr: wallet.address, email: '' })
  const again = await signInByWallet(aVisitor(), wallet)
  expect(await again.json()).toEqual({ userId })
})

it('creates another user for a wallet that its user has unlinked', async () => {
  const wallet = aWallet()
  const former = await aUser({ ethereumPublicAddr: wallet.address })
  for (let i = 0; i < 2; i++) {
    await db
      .update(users)
      .set({ ethereumPublicAddr: '' })
      .where(eq(users.ethereumPublicAddr, wallet.address))
    const visitor = aVisitor()
    const response = await signInByWallet(visitor, wallet)
    expect(response.status).toBe(200)
    const { userId } = await response.json<{ userId: number }>()
    expect(userId).not.toBe(former.id)
    const [user] = await db.select().from(users).where(eq(users.id, userId))
    // A hash has no colon, so no name of a token makes the namespaces equal.
    expect(user?.identityHash).toMatch(new RegExp(`^${former.identityHash}-[0-9a-f]{16}$`))
    const [session] = await db.select().from(tokens).where(eq(tokens.userId, userId))
    expect(session?.namespace).toBe(`user:${user?.identityHash}:session`)
    const again = await signInByWallet(aVisitor(), wallet)
    expect(await again.json()).toEqual({ userId })
  }
})

it('sets the session cookie with HttpOnly, Secure and SameSite=Lax', async () => {
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

it('signs in the same user if the address is not in EIP-55 spelling', async () => {
  const wallet = aWallet()
  const { userId } = await (await signInByWallet(aVisitor(), wallet)).json<{ userId: number }>()
  const visitor = aVisitor()
  const address = wallet.address.toLowerCase()
  const unsigned = await visitor.postJson('/sign-in/wallet/message', {
    address,
    chainId: CHAIN_ID,
    purpose: 'sign-in',
  })
  const { message } = await unsigned.json<{ message: string }>()
  expect(await (await signAndSend(visitor, wallet, message)).json()).toEqual({ userId })
})

describe('rejects a message that', () => {
  it('was used before', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    const secret = visitor.cookies.get('wallet') ?? ''
    expect((await signAndSend(visitor, wallet, message)).status).toBe(200)
    visitor.cookies.clear()
    visitor.cookies.set('wallet', secret)
    await expectError(await signAndSend(visitor, wallet, message), /used before/)
  })

  it('was requested by another browser', async () => {
    const victim = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(victim, wallet)
    const thief = aVisitor()
    await expectError(await signAndSend(thief, wallet, message), /another browser/)
    await requestMessage(thief, wallet)
    await expectError(await signAndSend(thief, wallet, message), /another browser/)
    expect((await signAndSend(victim, wallet, message)).status).toBe(200)
  })

  it('is for another domain', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    for (const domain of ['evil.test', 'marketplace.test.evil.test', 'marketplace.test:8080'])
      await expectError(
        await signAndSend(visitor, wallet, withFields(message, { domain })),
        /is for/,
      )
  })

  it('is for another URI of the same domain', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = withFields(await requestMessage(visitor, wallet), { uri: 'https://evil.test' })
    await expectError(
      await signAndSend(visitor, wallet, message),
      /not the one that this site wrote/,
    )
  })

  it('is for a chain that is not configured', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = withFields(await requestMessage(visitor, wallet), { chainId: 1 })
    await expectError(
      await signAndSend(visitor, wallet, message),
      /^message: must name the chain/,
      400,
    )
    const unsigned = await visitor.postJson('/sign-in/wallet/message', {
      address: wallet.address,
      chainId: 1,
      purpose: 'sign-in',
    })
    expect(unsigned.status).toBe(400)
  })

  it('has expired', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    vi.useFakeTimers({ now: Date.now() + 10 * 60 * 1000, toFake: ['Date'] })
    try {
      await expectError(await signAndSend(visitor, wallet, message), /expired/)
    } finally {
      vi.useRealTimers()
    }
  })

  it('has a later expiration time than its nonce', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = withFields(await requestMessage(visitor, wallet), {
      expirationTime: new Date(Date.now() + 24 * 60 * 60 * 1000),
    })
    const { nonce = '' } = parseSiweMessage(message)
    await db
      .update(walletNonces)
      .set({ expiresAt: '2026-01-01T00:00:00.000Z' })
      .where(eq(walletNonces.nonce, nonce))
    await expectError(await signAndSend(visitor, wallet, message), /expired/)
  })

  it('has an unknown nonce', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    const { nonce = '' } = parseSiweMessage(message)
    await db.delete(walletNonces).where(eq(walletNonces.nonce, nonce))
    await expectError(await signAndSend(visitor, wallet, message), /used before/)
  })

  it('is for linking the wallet to an account', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet, 'link')
    await expectError(
      await signAndSend(visitor, wallet, message),
      /not the one that this site wrote/,
    )
  })

  it('was changed', async () => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    await expectError(
      await signAndSend(visitor, wallet, `${message}\n`),
      /not the one that this site wrote/,
    )
    await expectError(
      await signAndSend(visitor, wallet, 'Sign me in'),
      /must be a message that this site wrote/,
      400,
    )
  })
})

it('rejects requests of other sites', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  for (const path of [PATH, '/sign-in/wallet/message']) {
    const response = await visitor.postJson(path, { message, signature }, { headers })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'cross_site' })
  }
})

it('rejects a closed account', async () => {
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address, removedAt: '2026-01-01T00:00:00.000Z' })
  const response = await signInByWallet(aVisitor(), wallet)
  await expectError(response, /closed/, 403)
})

it('limits attempts per client address', async () => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) < 2 })
  const visitor = aVisitor()
  const request = { address: aWallet().address, chainId: CHAIN_ID, purpose: 'sign-in' }
  const options = {
    headers: { 'cf-connecting-ip': '192.0.2.7' },
    env: { SIGN_IN_LIMIT: { limit } },
  }
  expect((await visitor.postJson('/sign-in/wallet/message', request, options)).status).toBe(200)
  const response = await visitor.postJson('/sign-in/wallet/message', request, options)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(keys).toEqual(Array(2).fill(`${BASE_URL} 192.0.2.7`))
})

describe('an address that nobody owns', () => {
  const unowned = [zeroAddress, '0x0000000000000000000000000000000000000001'] as const

  it.each(unowned)('gets no message to sign: %s', async (address) => {
    const request = { address, chainId: CHAIN_ID, purpose: 'sign-in' }
    const response = await aVisitor().postJson(`${PATH}/message`, request)
    await expectError(response, /^address: must not be the zero address or a precompile/, 400)
  })

  it.each(unowned)('cannot sign in with a message that was changed to it: %s', async (address) => {
    const visitor = aVisitor()
    const message = withFields(await requestMessage(visitor, aWallet()), { address })
    const signature = `0x${'00'.repeat(65)}`
    const response = await visitor.postJson(PATH, { message, signature })
    await expectError(response, /^message: must be for an address that has an owner$/, 400)
  })

  it('cannot be stored', async () => {
    for (const ethereumPublicAddr of unowned)
      await expect(aUser({ ethereumPublicAddr })).rejects.toThrow()
  })
})

it.each(['Issued At', 'Expiration Time'])(
  'rejects a message whose %s is no time',
  async (field) => {
    const visitor = aVisitor()
    const wallet = aWallet()
    const message = await requestMessage(visitor, wallet)
    const changed = message.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: foo`)
    expect(changed).not.toBe(message)
    await expectError(
      await signAndSend(visitor, wallet, changed),
      /^message: must be a message that this site wrote$/,
      400,
    )
  },
)
