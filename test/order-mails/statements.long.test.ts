/** A run of cron in which more mails are due than D1 has statements for. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runCron } from '../../src/cron.ts'
import { deliveries, instance } from '../../src/db/schema/delivery.ts'
import { tokens, users } from '../../src/db/schema/users.ts'
import { eventIdAt } from '../../src/events/append.ts'
import { broken } from '../monitoring/instance.ts'
import { aShop } from '../orders/shop.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { insertEvents } from '../support/events.ts'
import { anAdministrator, aUser, aWebhook, db, setRow } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { anEmail } from '../support/visitor.ts'
import { aGuest, inbox, removeOrders, sell } from './mails.ts'

removeOrders()

const DAY = 24 * 60 * 60 * 1000
const night = new Date(`${new Date(Date.now() + DAY).toISOString().slice(0, 10)}T03:00:00.000Z`)
const ago = (days: number) => new Date(night.getTime() - days * DAY).toISOString()
const times = async (count: number, make: () => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await make()
}
const owner = () => aUser({ email: anEmail() })

it('a run sends what fits into the 1,000 statements that D1 allows', async () => {
  // Ids of events grow, so the old ones come first.
  await times(60, async () => {
    const user = await owner()
    await aWebhook(user, { verifiedAt: null, position: 0 })
    await db.batch(insertEvents(db, { sellerId: user.id, at: ago(27.5) }))
  })
  const shop = await aShop({ nft: { amountType: 'unlimited' } })
  await times(60, async () => {
    const { itemId } = await sell(shop, await aGuest())
    await setRow(deliveries, itemId, { awaitsSince: ago(4) })
  })
  await db.update(instance).set({ mailPosition: eventIdAt(new Date(Date.now() - DAY)) })
  await times(30, async () => aWebhook(await owner(), { failingSince: ago(4) }))
  await times(30, async () => aWebhook(await owner(), { failingSince: ago(5), warnedAt: ago(1) }))
  await times(30, async () =>
    aWebhook(await owner(), { disabledAt: ago(0), disabledReason: 'gone' }),
  )
  await times(60, async () =>
    db.insert(tokens).values({
      ...{ id: crypto.randomUUID(), userId: (await owner()).id, kind: 'api', role: 'user' },
      ...{ name: 'shop', namespace: 'shop', keyId: 'test', lastUsedAt: ago(0) },
      ...{ createdAt: ago(300), expiresAt: ago(-5) },
    }),
  )
  await times(10, async () => setRow(users, (await anAdministrator()).id, { email: anEmail() }))
  const { database, trips } = measured(env.DB)
  const { mails, email } = inbox()
  const { queue } = aRecordingQueue()
  const webhooks = queue as unknown as Env['WEBHOOKS']
  const AVATARS = broken(env.AVATARS, 'head')
  const queues = { DELIVERIES: queue, WEBHOOKS: webhooks, MASTER_WEBHOOKS: webhooks }
  await runCron({ ...env, ...queues, AVATARS, DB: database, EMAIL: email } as Env, night)
  expect(mails.length).toBeGreaterThan(150)
  expect(trips.flatMap(({ statements }) => statements).length).toBeLessThanOrEqual(1000)
})
