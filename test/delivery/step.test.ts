/** What single steps of the engine do, on a real chain. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect, type Database } from '../../src/db/client.ts'
import { type Changes, NO_CHANGES } from '../../src/delivery/store/changes.ts'
import { holdLease, Outdated } from '../../src/delivery/store/lease.ts'
import { copies } from '../orders/shop.ts'
import { aChain } from '../support/chain/chain.ts'
import { rowOf } from '../support/delivery/engine.ts'
import { aMarket, aPaidItem, paidItems } from '../support/delivery/items.ts'
import { db, execute } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

const leaseOf = (database: Database, chainId: number, id: string) =>
  holdLease(database, { chainId }, id, () => new Date())

/** Gives the lease of a chain to a run. */
const lend = (chainId: number, run: string) =>
  execute(
    `INSERT INTO networks (chainId, lease, leaseUntil) VALUES (?, ?, '2100-01-01T00:00:00.000Z')
     ON CONFLICT DO UPDATE SET lease = excluded.lease`,
    chainId,
    run,
  )

type Change = Changes['deliveries'][number]

/** The delivery of an item that nobody has changed. */
const deliveryOf = ({ id }: { id: number }, values: Partial<Change> = {}): Change => ({
  ...{ id, version: 0, transition: 'deliver', requestedAction: 'deliver' },
  ...{
    tries: 0,
    withoutEffect: 0,
    waitingSince: null,
    reasonCode: null,
    reasonDetail: null,
    dueAt: null,
  },
  ...values,
})

it('writes nothing for a run whose lease another run has taken', async () => {
  await lend(1, 'theirs')
  const settledBlock = () =>
    env.DB.prepare('SELECT settledBlock FROM networks WHERE chainId = 1').first('settledBlock')
  const settled = { number: 7, hash: '0x07' } as const
  const changes = { ...NO_CHANGES, settled, unconfirmedSince: null }
  await expect(leaseOf(db, 1, 'ours').write(changes)).rejects.toThrow(Outdated)
  expect(await settledBlock()).toBeNull()
  await leaseOf(db, 1, 'theirs').write(changes)
  expect(await settledBlock()).toBe(7)
})

it('writes nothing if an item was changed after it was loaded', async () => {
  const chain = await aChain({ erc1155: 1 })
  const { chainId } = chain
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  await lend(chainId, 'ours')
  const deliveries = [deliveryOf(item, { transition: 'queue' })]
  await execute('UPDATE deliveries SET version = 1 WHERE id = ?', item.id)
  const before = await rowOf(item)
  const stored = leaseOf(db, chainId, 'ours').write({ ...NO_CHANGES, deliveries })
  await expect(stored).rejects.toThrow(Outdated)
  expect(await rowOf(item)).toEqual(before)
})

it('makes no transition that does not begin with the state of the item, and tells none', async () => {
  const chain = await aChain({ erc1155: 1 })
  const { chainId } = chain
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  await lend(chainId, 'ours')
  await execute(`UPDATE deliveries SET state = 'written_off' WHERE id = ?`, item.id)
  const before = await rowOf(item)
  await leaseOf(db, chainId, 'ours').write({ ...NO_CHANGES, deliveries: [deliveryOf(item)] })
  expect(await rowOf(item)).toEqual(before)
  const told = env.DB.prepare(`SELECT type FROM events WHERE itemId = ?`).bind(item.id)
  expect((await told.all()).results).toEqual([])
})

it('writes what becomes final together, however long the reasons are', async () => {
  await lend(5, 'ours')
  const items = await paidItems(aMarket('elsewhere', 5), copies(3000, { standard: 'erc1155' }))
  // 200 characters of the recipient's own text, three bytes each.
  const reasonDetail = '拒'.repeat(200)
  const failed = { transition: 'fail', reasonCode: 'recipient_rejects', reasonDetail } as const
  const changes = items.map((item) => deliveryOf(item, failed))
  const { database, trips } = measured(env.DB)
  await leaseOf(connect(database), 5, 'ours').write({ ...NO_CHANGES, deliveries: changes })
  const values = trips.flatMap((trip) => trip.values.flat())
  const sizes = values.map((value) => new TextEncoder().encode(`${value}`).length)
  // Bytes of a bound value that D1 takes. Miniflare takes more.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000_000)
  const { results } = await env.DB.prepare(
    `SELECT state, reasonDetail, count(*) AS items FROM deliveries
     WHERE id BETWEEN ? AND ? GROUP BY state, reasonDetail`,
  )
    .bind(items[0]?.id, items.at(-1)?.id)
    .all()
  expect(results).toEqual([{ state: 'failed', reasonDetail, items: 3000 }])
})
