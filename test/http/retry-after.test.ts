/** Quotas count, and whoever waits as long as `Retry-After` says is let through. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { quotas } from '../../src/db/schema/operations.ts'
import { emailLinks } from '../../src/db/schema/users.ts'
import { aPng } from '../avatars/pictures.ts'
import { aShop } from '../orders/shop.ts'
import { type Call, callWith } from '../support/api.ts'
import { aSession, aToken, aUser, aWebhook, db } from '../support/makers.ts'
import { anEmail, aVisitor, aWallet, requestMessage } from '../support/visitor.ts'

/** 89 minutes and 45 seconds before the end of a day (UTC), and 29 minutes and 45 of an hour. */
const NOW = `${new Date().toISOString().slice(0, 10)}T22:30:15.000Z`
const UNTIL_TOMORROW = 5385

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOW) })
  await db.delete(quotas)
})
afterEach(() => void vi.useRealTimers())

/** What a period has used up. */
const use = (name: string, used: number, period = NOW.slice(0, 10)) =>
  db.insert(quotas).values({ name, period, used })

type Attempt = (bindings?: Partial<Env>) => Promise<Response>

const attempt =
  (user: { id: number }, method: string, path: string, content: Call = {}): Attempt =>
  async (bindings = {}) =>
    callWith(bindings, method, path, { token: await aToken(user), ...content })

/** A form of the settings, in a session that has just begun. */
const submit =
  (user: { id: number }, path: string, form: Record<string, string> = {}): Attempt =>
  async (env = {}) => {
    const visitor = aVisitor(await aSession(user))
    return visitor.post(path, { form, env })
  }

/** Uses something up, but for `left` times. Returns what is refused then. */
type Case = () => Promise<Attempt>

/** A user who has used up so much of a quota. */
const ofUser =
  (quota: string, used: number, ask: (user: { id: number }) => Attempt): Case =>
  async () => {
    const user = await aUser({ email: anEmail() })
    await use(`${quota}:${user.id}`, used)
    return ask(user)
  }

/** A webhook that has used up so much of its tests of this minute and of this day. */
const ofTests =
  (thisMinute: number, today: number): Case =>
  async () => {
    const user = await aUser()
    const { id } = await aWebhook(user)
    await use(`webhook_tests:${id}`, thisMinute, NOW.slice(0, 16))
    await use(`webhook_tests:${id}`, today)
    return attempt(user, 'POST', `/api/webhooks/${id}/test`)
  }

const hook = { url: 'https://shop.example.com/hook', events: ['order.created'] }
const AVATAR = '/api/public/user/me/profile/updateAvatarBytes'
const TOKENS = '/settings/api-access/tokens'

const cases: Record<string, [wait: number, exhaust: Case, left?: 0]> = {
  'new addresses': [
    UNTIL_TOMORROW,
    ofUser('addresses', 199, (user) =>
      attempt(user, 'POST', '/api/public/deliveryAddress', { json: {} }),
    ),
  ],
  'orders and reservations': [
    UNTIL_TOMORROW,
    async () => {
      const { seller, listing } = await aShop()
      await use(`orders:${seller.id}`, 9_998)
      const json = [1, 1].map((quantity) => ({ listingId: listing.id, quantity, ttl: 60 }))
      return attempt(seller, 'POST', '/api/reservations', { json })
    },
  ],
  'new tokens': [
    UNTIL_TOMORROW,
    ofUser('new tokens', 99, (user) => (env) => {
      return submit(user, TOKENS, { name: crypto.randomUUID() })(env)
    }),
  ],
  'sign-ins': [
    UNTIL_TOMORROW,
    async () => {
      const wallet = aWallet()
      const user = await aUser({ ethereumPublicAddr: wallet.address })
      await use(`sign-ins:${user.id}`, 99)
      return async () => {
        const visitor = aVisitor()
        const message = await requestMessage(visitor, wallet)
        const signature = await wallet.signMessage({ message })
        return visitor.postJson('/sign-in/wallet', { message, signature })
      }
    },
  ],
  'unlinked sign-in methods': [
    UNTIL_TOMORROW,
    ofUser('unlinks', 10, (user) => submit(user, '/settings/account/email/unlink')),
    0,
  ],
  'new webhooks': [
    UNTIL_TOMORROW,
    ofUser('webhooks', 29, (user) => attempt(user, 'POST', '/api/webhooks', { json: hook })),
  ],
  'tests of a webhook, of this minute and of this day': [UNTIL_TOMORROW, ofTests(9, 99)],
  'tests of a webhook, of this minute': [45, ofTests(9, 0)],
  'replays of a webhook': [
    UNTIL_TOMORROW,
    async () => {
      const user = await aUser()
      const { id } = await aWebhook(user)
      await use(`webhook_replays:${id}`, 5)
      const json = { since: NOW }
      return attempt(user, 'POST', `/api/webhooks/${id}/replay`, { json })
    },
  ],
  'pictures of a user': [
    UNTIL_TOMORROW,
    ofUser('pictures', 19, (user) => attempt(user, 'PUT', AVATAR, { body: aPng() })),
  ],
  'mails of the instance, of this hour and of this day': [
    UNTIL_TOMORROW,
    async () => {
      await use('mails', 1_000_000, NOW.slice(0, 13))
      await use('mails', 1_000_000)
      return submit(await aUser(), '/settings/account/email', { email: 'mine@example.com' })
    },
    0,
  ],
  'links that add an address to an account': [
    900,
    async () => {
      const user = await aUser()
      for (const secretHash of ['1', '2', '3'])
        await db.insert(emailLinks).values({
          ...{ secretHash, email: 'a@example.com', mailbox: 'a@example.com', identityHash: 'a' },
          ...{ client: 'a', userId: user.id, createdAt: NOW, expiresAt: NOW },
        })
      return submit(user, '/settings/account/email', { email: 'mine@example.com' })
    },
    0,
  ],
}

it.each(Object.entries(cases))(
  'is how long to wait for %s',
  async (_, [wait, exhaust, left = 1]) => {
    const again = await exhaust()
    for (let i = 0; i < left; i++) expect((await again()).status).toBeLessThan(400)
    const refused = await again()
    expect([429, 503]).toContain(refused.status)
    expect(refused.headers.get('retry-after')).toBe(`${wait}`)
    vi.setSystemTime(Date.now() + wait * 1000)
    expect((await again()).status).toBeLessThan(400)
  },
)
