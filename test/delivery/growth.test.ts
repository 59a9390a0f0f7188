/** What deliveries cost in rows: each by itself, and with thousands of earlier ones. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runCron } from '../../src/cron.ts'
import { batch } from '../../src/db/batch.ts'
import { connect } from '../../src/db/client.ts'
import { deliveryStates } from '../../src/db/schema/delivery.ts'
import { run } from '../../src/delivery/run.ts'
import { queueAwaiting } from '../../src/delivery/wallet.ts'
import { readSettings } from '../../src/env.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { callerOf, copies } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { networksOf, rowOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { anUnlimitedOrder, aPaidItem, paidItems } from '../support/delivery/items.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aMasterToken, execute } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

const erc1155 = { standard: 'erc1155' } as const

/** Transfers of the past, 50 in each of their transactions. */
async function transferredItems(chain: Chain, count: number) {
  const ids = (await paidItems(chain, copies(count, erc1155))).map(({ id }) => id)
  await execute(
    `INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
       maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block, blockHash,
       isOpen, createdAt, updatedAt)
     SELECT ?2, ?3, ?4, key / 50, json_group_array(value), printf('0x%064x', key), '[]', '1', '1', '1', 0, 0,
       ?5, 1, '0x1', 0, ?5, ?5 FROM json_each(?1) GROUP BY key / 50`,
    JSON.stringify(ids),
    chain.chainId,
    chain.delivery,
    chain.otherSigner,
    new Date().toISOString(),
  )
  await execute(
    `UPDATE deliveries SET state = 'transferred', dueAt = NULL, contract = ?2, transactionId = (
       SELECT t.id FROM transactions t, json_each(t.items) i WHERE i.value = deliveries.id)
     WHERE id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    chain.delivery,
  )
}

/** The environment of an instance whose trips to D1 are measured. */
function anInstance(chain: Chain, network: Parameters<typeof networksOf>[1] = {}) {
  const { database, trips } = measured(env.DB)
  const { queue, pending } = aRecordingQueue()
  const NETWORKS = networksOf([chain], network)
  const bindings = { DB: database, DELIVERIES: queue, NETWORKS }
  const settings = readSettings({ ...env, ...bindings })
  const deps = {
    db: connect(database),
    settings,
    queue,
    clock: () => new Date(),
    onEnd: async () => {},
  }
  // Each run is an invocation, which may use as many statements as any other.
  const runOnce = () => run({ ...deps, db: connect(database) }, chain.chainId, crypto.randomUUID())
  return { bindings, deps, trips, run: runOnce, messages: () => pending().length }
}

/** Rows that a trip may read. */
const FEW = 400

it('with 1,500 transferred items no trip reads more than a few rows', async () => {
  const chain = await aChain({ erc1155: 3 })
  await transferredItems(chain, 1500)
  startClock()
  const { bindings, deps, trips, run } = anInstance(chain, { finality: 5 })
  const token = await aMasterToken()
  const ask = async (method: string, path: string) => {
    const response = await callWith(bindings, method, `/api/admin/transfers${path}`, { token })
    expect(response.status).toBe(200)
    return response.json()
  }

  // Items of every state, and a transaction that is not final.
  const [inFlight] = await paidItems(chain, [erc1155])
  const awaiting = await aPaidItem(chain, { ...erc1155, recipient: null })
  const failed = await aPaidItem(chain, { ...erc1155, contract: chain.signer })
  await run()
  pass(11 * 60)
  await run()
  const queued = await aPaidItem(chain, erc1155)
  // As if each listing had been tried today.
  await env.DB.exec(`UPDATE listings SET checkAt = '9999'`)
  expect(await rowOf(inFlight)).toMatchObject({ state: 'in_flight' })
  expect(await rowOf(failed)).toMatchObject({ state: 'failed' })

  for (const [status, { id }] of Object.entries({
    in_flight: inFlight,
    awaiting_wallet: awaiting,
    failed,
    queued,
  })) {
    const only = { transfers: [{ id, status }], nextCursor: null }
    expect(await ask('GET', `?status=${status}`)).toMatchObject(only)
  }
  for (const status of deliveryStates) await ask('GET', `?status=${status}&code=no_relayer`)
  await ask('GET', '')
  await ask('GET', '?code=no_relayer')
  await ask('GET', '?status=transferred&cursor=10')
  for (const status of ['failed', 'queued']) await ask('POST', `/retry?status=${status}`)
  for (const status of ['awaiting_wallet', 'in_flight', 'queued', 'failed'])
    await ask('POST', `/cancel?status=${status}&code=no_relayer`)
  for (const { id } of [failed, queued]) {
    await ask('POST', `/${id}/retry`)
    await ask('POST', `/${id}/cancel`)
  }
  const wallet = { address: chain.seller, walletChainId: 0 }
  await batch(deps.db, queueAwaiting(deps.db, 1, wallet, new Date()))
  await runCron({ ...env, ...bindings }, new Date())
  await chain.mine(5)
  pass(3600)
  await run()
  expect(await rowOf(inFlight)).toMatchObject({ state: 'transferred' })

  expect(trips.length).toBeGreaterThan(40)
  // All of them were ordered in this hour, which the cron run counts.
  const others = trips.filter(({ statements }) => !/hourlyOrders/.test(`${statements}`))
  expect(others.filter(({ rowsRead }) => rowsRead > FEW)).toEqual([])
})

it('with 1,500 items of another chain that wait no trip of a run reads more than a few rows', async () => {
  const chain = await aChain({ erc1155: 1 })
  const elsewhere = { ...chain, name: 'elsewhere', chainId: 1 }
  await paidItems(elsewhere, copies(1500, { ...erc1155, recipient: null }))
  const item = await aPaidItem(chain, erc1155)
  const waiting = await aPaidItem(chain, { ...erc1155, recipient: null })
  startClock()
  const { trips, run } = anInstance(chain)
  await run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  pass(3600)
  await run()
  expect(await rowOf(waiting)).toMatchObject({ state: 'awaiting_wallet' })
  expect(trips.filter(({ rowsRead }) => rowsRead > FEW)).toEqual([])
})

/** The tables of deliveries. What placing writes to the others belongs to the order. */
const deliveryTables = /(INTO|UPDATE) "?(deliveries|events|transactions|networks|instance)\b/

type Instance = ReturnType<typeof anInstance>

/** Places 100 orders in a call with a master token. */
async function place100Orders(chain: Chain, { deps }: Instance) {
  const order = await anUnlimitedOrder(chain)
  const caller = await callerOf(await aMasterToken())
  await placeOrders({ ...deps, caller, now: new Date() }, { orders: copies(100, order) })
}

/** Seconds from now until the chain is looked at again; null if nothing is planned. */
async function secondsToWake({ chainId }: Chain): Promise<number | null> {
  const wakeAt = await env.DB.prepare('SELECT wakeAt FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<string>('wakeAt')
  return wakeAt ? (Date.parse(wakeAt) - Date.now()) / 1000 : null
}

/** The rows of deliveries that the trips have written. */
const deliveryRows = ({ trips }: Instance): number =>
  trips
    .flatMap(({ statements, writes }) =>
      writes.filter((_, i) => deliveryTables.test(statements[i] ?? '')),
    )
    .reduce((all, rows) => all + rows, 0)

/** Places and delivers 100 items. Returns the rows of deliveries that were written for each. */
async function rowsPerItem(chain: Chain, instance: Instance, onPass: () => Promise<unknown>) {
  await place100Orders(chain, instance)
  expect(deliveryRows(instance)).toBeGreaterThanOrEqual(300)
  for (let wait: number | null = 0; wait !== null; wait = await secondsToWake(chain)) {
    pass(wait)
    await onPass()
    await instance.run()
  }
  expect(await transferEvents(chain)).toHaveLength(100)
  const { results } = await env.DB.prepare(
    'SELECT DISTINCT state FROM deliveries WHERE chainId = ?',
  )
    .bind(chain.chainId)
    .all()
  expect(results).toEqual([{ state: 'transferred' }])
  return deliveryRows(instance) / 100
}

it('writes at most 7.5 rows for each of 100 items, and plans at most five messages, where blocks come every 12 seconds', async () => {
  const chain = await aChain({ erc1155: 100 })
  await chain.setAutomine(false)
  await chain.rpc('anvil_setBlockTimestampInterval', 12)
  await chain.mine(70)
  let minedAt = Infinity
  const mineDueBlocks = async () => {
    for (; minedAt + 12_000 <= Date.now(); minedAt += 12_000) await chain.mine()
  }
  startClock(mineDueBlocks)
  minedAt = Date.now()
  const instance = anInstance(chain, { finality: 5 })
  // Measured: 7.43.
  expect(await rowsPerItem(chain, instance, mineDueBlocks)).toBeLessThanOrEqual(7.5)
  // With that of the orders, less than 0.2 operations of the queue for each item.
  expect(instance.messages()).toBeLessThanOrEqual(5)
})
