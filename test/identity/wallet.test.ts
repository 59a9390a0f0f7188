import { eq } from 'drizzle-orm'
import { zeroAddress } from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { describe, expect, it, vi } from 'vitest'
import { tokens, users, walletNonces } from '../../src/db/schema/users.ts'
import { answerOf, BASE_URL } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, db, findRow } from '../support/makers.ts'
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

/** A visitor with a message to sign. `send` signs another one, and sends it. */
async function aMessage(purpose: 'sign-in' | 'link' = 'sign-in') {
  const [visitor, wallet] = [aVisitor(), aWallet()]
  const message = await requestMessage(visitor, wallet, purpose)
  const send = (changed = message) => signAndSend(visitor, wallet, changed)
  return { visitor, wallet, message, nonce: parseSiweMessage(message).nonce ?? '', send }
}

const HOUR = 60 * 60 * 1000
const elsewhere = /not the one that this site wrote/
const notOurs = /^message: must be a message that this site wrote$/

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

it('creates a user for a new wallet, and signs in the same user, in any spelling', async () => {
  const wallet = aWallet()
  const { status, userId } = await answerOf(signInByWallet(aVisitor(), wallet))
  expect(status).toBe(200)
  const user = await findRow(users, Number(userId))
  expect(user).toMatchObject({ provider: 'wallet', ethereumPublicAddr: wallet.address, email: '' })
  const visitor = aVisitor()
  const request = { address: wallet.address.toLowerCase(), chainId: CHAIN_ID, purpose: 'sign-in' }
  const { message } = await answerOf(visitor.postJson(`${PATH}/message`, request))
  expect(await answerOf(signAndSend(visitor, wallet, `${message}`))).toMatchObject({ userId })
})

it('creates another user for a wallet that its user has unlinked', async () => {
  const wallet = aWallet()
  const former = await aUser({ ethereumPublicAddr: wallet.address })
  for (let i = 0; i < 2; i++) {
    await db
      .update(users)
      .set({ ethereumPublicAddr: '' })
      .where(eq(users.ethereumPublicAddr, wallet.address))
    const { userId } = await answerOf<{ userId: number }>(signInByWallet(aVisitor(), wallet))
    expect(userId).not.toBe(former.id)
    const user = await findRow(users, userId)
    // A hash has no colon, so no name of a token makes the namespaces equal.
    expect(user?.identityHash).toMatch(new RegExp(`^${former.identityHash}-[0-9a-f]{16}$`))
    const [session] = await db.select().from(tokens).where(eq(tokens.userId, userId))
    expect(session?.namespace).toBe(`user:${user?.identityHash}:session`)
    expect(await answerOf(signInByWallet(aVisitor(), wallet))).toMatchObject({ userId })
  }
})

it('sets the session cookie with HttpOnly, Secure and SameSite=Lax', async () => {
  const visitor = aVisitor()
  const response = await signInByWallet(visitor)
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith('token='))
  const [, ...attributes] = cookie?.split('; ') ?? []
  const expected = ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']
  expect(attributes.sort()).toEqual(expected)
  expect((await visitor.get('/api/public/user/me/deliveryAddresses')).status).toBe(200)
})

it.each<[string, (message: string) => string, RegExp, status?: number]>([
  ['is for another domain', (text) => withFields(text, { domain: 'evil.test' }), /is for/],
  [
    'is for a domain that begins with ours',
    (text) => withFields(text, { domain: 'marketplace.test.evil.test' }),
    /is for/,
  ],
  [
    'is for another URI of the domain',
    (text) => withFields(text, { uri: 'https://evil.test' }),
    elsewhere,
  ],
  [
    'is for a chain that is not configured',
    (text) => withFields(text, { chainId: 1 }),
    /^message: must name the chain/,
    400,
  ],
  ['was changed', (text) => `${text}\n`, elsewhere],
  ['is any text', () => 'Sign me in', notOurs, 400],
  [
    'has no time of its issue',
    (text) => text.replace(/^Issued At: .*$/m, 'Issued At: foo'),
    notOurs,
    400,
  ],
])('rejects a message that %s', async (_, change, error, status = 401) => {
  const { message, send } = await aMessage()
  const changed = change(message)
  expect(changed).not.toBe(message)
  await expectError(await send(changed), error, status)
})

describe('rejects a message that', () => {
  it('was used before', async () => {
    const { visitor, send } = await aMessage()
    const secret = visitor.cookies.get('wallet') ?? ''
    expect((await send()).status).toBe(200)
    visitor.cookies.clear()
    visitor.cookies.set('wallet', secret)
    await expectError(await send(), /used before/)
  })

  it('was requested by another browser', async () => {
    const { wallet, message, send } = await aMessage()
    const thief = aVisitor()
    await expectError(await signAndSend(thief, wallet, message), /another browser/)
    await requestMessage(thief, wallet)
    await expectError(await signAndSend(thief, wallet, message), /another browser/)
    expect((await send()).status).toBe(200)
  })

  it('has expired', async () => {
    const { send } = await aMessage()
    stopClock()
    vi.setSystemTime(Date.now() + HOUR / 6)
    await expectError(await send(), /expired/)
  })

  it('has a later expiration time than its nonce, or one that is unknown', async () => {
    const { message, nonce, send } = await aMessage()
    const isIt = eq(walletNonces.nonce, nonce)
    await db.update(walletNonces).set({ expiresAt: '2026-01-01T00:00:00.000Z' }).where(isIt)
    const later = withFields(message, { expirationTime: new Date(Date.now() + 24 * HOUR) })
    await expectError(await send(later), /expired/)
    await db.delete(walletNonces).where(isIt)
    await expectError(await send(), /used before/)
  })

  it('is for linking the wallet to an account', async () => {
    await expectError(await (await aMessage('link')).send(), elsewhere)
  })
})

it('rejects requests of other sites', async () => {
  const { visitor, wallet, message } = await aMessage()
  const signature = await wallet.signMessage({ message })
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  for (const path of [PATH, `${PATH}/message`])
    expect(
      await answerOf(visitor.postJson(path, { message, signature }, { headers })),
    ).toMatchObject({ status: 403, code: 'cross_site' })
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

  it.each(unowned)(
    'gets no message, signs in with none, and is not stored: %s',
    async (address) => {
      const request = { address, chainId: CHAIN_ID, purpose: 'sign-in' }
      const refused = await aVisitor().postJson(`${PATH}/message`, request)
      await expectError(refused, /^address: must not be the zero address or a precompile/, 400)

      const { visitor, message } = await aMessage()
      const signature = `0x${'00'.repeat(65)}`
      const forged = { message: withFields(message, { address }), signature }
      const response = await visitor.postJson(PATH, forged)
      await expectError(response, /^message: must be for an address that has an owner$/, 400)

      await expect(aUser({ ethereumPublicAddr: address })).rejects.toThrow()
    },
  )
})
