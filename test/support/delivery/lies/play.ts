/** Plays a case: orders, a node that lies for a while, and what must come of it. */
import { env } from 'cloudflare:workers'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { pass } from '../clock.ts'
import { anEngine, type Row, rowsOf } from '../engine.ts'
import { recordFailures } from '../failures.ts'
import { forgetDeliveries } from '../snapshot.ts'
import { describeCase, type LieCase } from './cases.ts'
import { complaints, wrongItems } from './judge.ts'
import { aWitness } from './witness.ts'
import { SIGNER, type Stage, type World } from './world.ts'

/** Seconds of a round at most. */
const MAX_ROUND = 30
const MINUTE = 60_000

/** After a lie, everything is to be delivered within this time. */
const PATIENCE = 10 * MINUTE

/** How long what is signed may be mined at most, and a little more. */
const MAX_DEADLINE = 61 * MINUTE

/** Wei, more than the Worker may pay. */
const FEE = parseGwei('600')

/** Requests to the two nodes in a minute, after which a case is given up. Single calls are more. */
const MAX_REQUESTS = 600
const MAX_SINGLE_CALLS = 2000

/** Plays a case. Throws if a lie has a lasting effect, or one that nobody learns of. */
export async function play({ begin }: Stage, one: LieCase): Promise<Told> {
  const world = await begin(one)
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  try {
    return await playIn(world, () => isOver)
  } catch (error) {
    throw error instanceof Endless ? new Error(`${describeCase(one)}\n  ${error.message}`) : error
  } finally {
    await world.end()
  }
}

/** How often each lie was told. */
export type Told = { told: number[] }

async function playIn(world: World, isOver: () => boolean): Promise<Told> {
  const { one, liar, sell, chain } = world
  const watch = watchMinutes(world, isOver)
  await prepare(world, watch)
  await world.lie()
  await watch.witness.begin()
  const startedAt = Date.now()
  world.setSilent(one.silent > 0)
  if (one.isOrdering) {
    await sell({ standard: 'erc1155', quantity: 2 }, { standard: 'erc721', seller: 'second' })
  }
  // What was used before the first check is what the instance begins with.
  const theftAt = one.moment === 'from the first minute' ? 5 : 1
  for (let round = 0; Date.now() - startedAt < one.minutes * MINUTE; round++) {
    if (round === theftAt && one.hasThief) await watch.steal()
    const minute = (Date.now() - startedAt) / MINUTE
    if (minute >= one.silent) world.setSilent(false)
    await watch.setPaused(minute >= 1 && minute < 1 + one.paused)
    await watch.round()
    if (liar.isOver()) break
    if (round === 4 && one.isOrdering) {
      await sell({ standard: 'erc1155', fulfilment: 'mint' })
    }
  }
  const told = liar.stop()
  world.setSilent(false)
  await watch.setPaused(false)
  if (one.alarm !== null && !watch.raised.has(one.alarm))
    watch.problems.push(`the alarm ${one.alarm} was not raised`)
  await retryHeld(world)
  const endedAt = Date.now()
  await sell({ standard: 'erc1155', seller: 'second' }, { standard: 'erc721' })
  let left = await watch.until(endedAt + PATIENCE)
  if (left.length > 0) {
    const deadline = await lastDeadline(chain.chainId, startedAt, endedAt)
    while (Date.now() < deadline) {
      pass(300)
      // In the time that was passed over, nothing could be sent.
      watch.witness.postpone()
      await watch.round()
      await watch.cron()
    }
    if (deadline > 0) left = await watch.until(Math.max(deadline, Date.now()) + PATIENCE)
  }
  const problems = [...new Set([...watch.problems, ...left])]
  for (const overflow of new Set(liar.overflows))
    problems.push(`the Worker has read ${overflow} to the end`)
  for (const call of liar.unknown) problems.push(`there are no lies about ${call}`)
  if (problems.length > 0) throw new Error([describeCase(one), ...problems].join('\n  '))
  return { told }
}

/** An operator retries what was carried three times without effect, once the reason is gone. */
const retryHeld = (world: World) =>
  retry(world, (row) => row.state === 'queued' && row.tries + row.withoutEffect >= 3)

/** An operator retries what one node alone has told as failed, once an alarm tells of it. */
const retryFailed = (world: World) =>
  retry(world, ({ id, state }) => {
    const item = world.items.find((one) => one.id === id)
    return state === 'failed' && item?.fate !== 'waits' && !world.retried.has(id)
  })

async function retry({ chain, items, retried }: World, isWanted: (row: Row) => boolean) {
  for (const row of (await rowsOf(items)).values())
    if (isWanted(row)) {
      retried.add(row.id)
      await anEngine(chain).retry(row)
    }
}

/** Brings the orders into the state in which the lie finds them. */
async function prepare(world: World, watch: Watch): Promise<void> {
  const { one, sell, market, chain, wallet } = world
  const sold = await sell(
    { standard: 'erc721' },
    { standard: 'erc1155', quantity: 3 },
    { standard: 'erc1155', quantity: 2, seller: 'second', placer: 'account:2' },
    { standard: 'erc721', fulfilment: 'mint' },
    { standard: 'erc1155' },
    { standard: 'erc1155', recipient: null },
    { standard: 'erc1155', seller: 'none' },
    { standard: 'erc1155', seller: 'fake' },
    { standard: 'erc1155', recipient: wallet, recipientChainId: chain.chainId },
  )
  const [, , , , cancelled] = sold
  if (cancelled) await anEngine(chain).cancel(cancelled)
  if (one.moment === 'from the first minute') return
  await market.runCron()
  if (one.moment === 'before signing') return
  await watch.deliver()
  if (one.moment === 'while in flight') return
  await world.mine()
  if (one.moment === 'in a block that is not final') {
    pass(2)
    return
  }
  await watch.settle()
  pass(60)
  if (one.moment === 'after all is final') return
  await forget(world, one.moment === 'at the daily comparison' ? 'failed' : 'queued')
}

/** Sets the database back to the time before the deliveries. Failed items are compared once a day. */
async function forget({ chain, items, market }: World, state: 'queued' | 'failed'): Promise<void> {
  const known = items.filter(({ fate }) => fate !== 'waits')
  await forgetDeliveries(chain, known, state)
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE nfts SET availableAmount = 99 WHERE id IN (SELECT value FROM json_each(?1))`,
    ).bind(JSON.stringify(known.map(({ id }) => id))),
    env.DB.prepare('DELETE FROM networkChecks WHERE chainId = ?').bind(chain.chainId),
  ])
  market.queue.put(chain)
}

/** When the last transaction that was signed meanwhile, and may still be mined, expires; else 0. */
async function lastDeadline(chainId: number, from: number, to: number): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT max(deadline) AS deadline FROM transactions WHERE chainId = ?
       AND createdAt BETWEEN ? AND ?`,
  )
    .bind(chainId, new Date(from).toISOString(), new Date(to).toISOString())
    .first<{ deadline: number | null }>()
  return Math.min((row?.deadline ?? 0) * 1000, to + MAX_DEADLINE)
}

/** The Worker asks again and again, and nothing comes of it. */
class Endless extends Error {}

type Watch = ReturnType<typeof watchMinutes>

/** Lets time pass, minute by minute, and sees what must not happen. */
function watchMinutes(world: World, isOver: () => boolean) {
  const roundTime = Math.min(MAX_ROUND, world.one.blockTime)
  const { market, chain, beside, ask } = world
  const problems: string[] = []
  const raised = new Set<string>()
  const witness = aWitness(world)
  let isPaused = false
  let nextCron = Date.now() + MINUTE
  let stolenAt = 0
  const failures = recordFailures()

  /** Delivers messages until none is due, or until a round has passed. */
  async function deliver() {
    const [before, startedAt] = [world.requests(), Date.now()]
    for (let due = market.queue.take(); due.length > 0; due = market.queue.take()) {
      const { error } = await market.consume(due)
      if (error) problems.push(`the consumer threw: ${error}`)
      const requests = world.requests() - before
      const minutes = Math.ceil((Date.now() - startedAt + 1) / MINUTE)
      const most = world.one.callsPerBatch === 1 ? MAX_SINGLE_CALLS : MAX_REQUESTS
      if (requests > most * minutes)
        throw new Endless(`the nodes got ${requests} requests in ${minutes} min`)
      if (Date.now() - startedAt >= roundTime * 1000) return
    }
  }

  const alarms = async () => {
    const { results } = await env.DB.prepare('SELECT "key" FROM alarms').all<{ key: string }>()
    return results.map(({ key }) => key)
  }

  async function cron() {
    const at = new Date().toISOString()
    nextCron = Date.now() + MINUTE
    const failed = failures.splice(0)
    const { error } = await market.runCron()
    if (error) problems.push(`the cron run threw: ${error}`)
    const row = await env.DB.prepare('SELECT * FROM networkChecks WHERE chainId = ?')
      .bind(beside.chainId)
      .first<{ checkedAt: string; problem: string | null }>()
    if (!row || row.checkedAt < at || row.problem !== null)
      problems.push('the check of the other network was not stored')
    const open = await alarms()
    for (const key of open) raised.add(key.replace(/:.*/, ''))
    problems.push(...(await witness.look()))
    for (const line of failed)
      if (!open.some((key) => /^(run|cron_job)_failed/.test(key)))
        problems.push(`a run failed without an alarm: ${line}`)
    const isTheft = open.some((key) => key.startsWith(`foreign_transaction:${chain.chainId}`))
    if (isTheft) stolenAt = 0
    if (stolenAt > 0 && Date.now() - stolenAt >= 2 * MINUTE) {
      problems.push('no alarm says within two minutes that somebody uses the key of a signer')
      stolenAt = 0
    }
  }

  async function round() {
    if (isOver()) throw new Error('the test took too long')
    await deliver()
    problems.push(...(await witness.wrongEvents()))
    if (isPaused || world.isSilent()) witness.postpone()
    pass(roundTime)
    await world.mineDue()
    if (Date.now() >= nextCron) await cron()
  }

  return {
    problems,
    /** The names of alarms that were open at the end of a cron run. */
    raised,
    witness,
    /** Pauses the contract, or ends its pause. */
    async setPaused(paused: boolean) {
      if (paused === isPaused) return
      isPaused = paused
      await ask('anvil_impersonateAccount', chain.owner)
      await chain.asOwner(paused ? 'pause' : 'unpause')
      await world.mine()
    },
    deliver,
    round,
    cron,
    /** Lets time pass until nothing is wrong, or until the time. Returns what is wrong then. */
    async until(end: number): Promise<string[]> {
      let left = ['nothing was looked at']
      while (left.length > 0 && Date.now() < end) {
        const minute = nextCron
        while (nextCron === minute) await round()
        if (raised.has('failed_by_one_node')) await retryFailed(world)
        left = await complaints(world)
      }
      return left
    },
    /** Lets time pass until all is delivered. */
    async settle() {
      for (let rounds = 0; rounds < 40; rounds++) {
        await round()
        if ((await wrongItems(world)).length === 0) return
      }
    },
    /** Somebody else sends a transaction of the signer. */
    async steal() {
      const raw = await privateKeyToAccount(SIGNER).signTransaction({
        chainId: chain.chainId,
        nonce: Number(await ask('eth_getTransactionCount', chain.signer, 'latest')),
        to: chain.seller,
        gas: 21_000n,
        maxFeePerGas: FEE,
        maxPriorityFeePerGas: FEE,
      })
      await ask('eth_sendRawTransaction', raw)
      await world.mine()
      stolenAt = Date.now()
    },
  }
}
