/**
 * Takes transfers one step further, whatever state each is in. The order of the steps is what
 * makes it exactly one transfer: load, look, decide, sign, store, and only then send.
 * A batch costs three trips to D1 and three HTTP calls of a network's node, whatever its size.
 */
import type { Hex } from 'viem'
import type { Database } from '../db/client.ts'
import type { Settings } from '../env.ts'
import { log } from '../log.ts'
import { broadcast } from './chain.ts'
import { newestOf } from './decide.ts'
import { load } from './load.ts'
import type { Look } from './message.ts'
import { moveOf, type Sent, signedMove } from './moves.ts'
import { type Plan, plan } from './plan.ts'
import { type Signer, sign, signerOf } from './sign.ts'
import type { StoredTransaction, Transfer } from './state.ts'
import { Collision, type Move, settle, store } from './store.ts'

type Deps = { db: Database; settings: Pick<Settings, 'NETWORKS' | 'TRANSFER_SIGNER_KEY'> }

/** For what waits for a network that is not configured, in seconds. */
const USUAL_POLL = 60

/** Answers what is to be looked at again, and when. Throws when D1 fails. */
export async function advance(
  { db, settings: { NETWORKS, TRANSFER_SIGNER_KEY } }: Deps,
  ids: readonly number[],
  now: Date,
): Promise<Look[]> {
  const signer = signerOf(TRANSFER_SIGNER_KEY)
  const loaded = await load(db, ids, signer.address, Object.values(NETWORKS))
  const groups = Map.groupBy(loaded.transfers, ({ contractNetwork }) => contractNetwork)
  const plans = await Promise.all(
    [...groups].map(([name, transfers]) => {
      const network = NETWORKS[name]
      const account = network && loaded.accounts.get(network.chainId)
      return plan(name, network, signer.address, account, transfers, now)
    }),
  )
  const signed = await signAndStore(db, plans, signer, now)
  const sent = await sendAll(plans, signed)
  const moves = plans.flatMap(({ network, steps }) =>
    steps.map((step) =>
      moveOf(step, sent.get(step.transfer.id) ?? null, network?.pollSeconds ?? USUAL_POLL, now),
    ),
  )
  if (moves.length === 0) return []
  const written = await settle(db, moves, now)
  const ours = moves.filter(({ id }) => written.has(id))
  tell(loaded.transfers, ours)
  return ours.flatMap(({ id, lookAt }) => (lookAt ? [lookOf(id, lookAt, now)] : []))
}

/** What was stored, by transfer; nothing when another consumer was faster, which the next look sees. */
async function signAndStore(
  db: Database,
  plans: readonly Plan[],
  signer: Signer,
  now: Date,
): Promise<Map<number, StoredTransaction>> {
  const news = await Promise.all(
    plans.flatMap(({ steps }) =>
      steps.flatMap(({ transfer, draft }) =>
        draft ? [sign(signer, draft, now).then((transaction) => ({ transfer, transaction }))] : [],
      ),
    ),
  )
  if (news.length === 0) return new Map()
  const signed = news.map(({ transaction }) => transaction)
  const moves = news.map(({ transfer, transaction }) => signedMove(transfer, transaction, now))
  try {
    await store(db, signed, moves, now)
  } catch (error) {
    if (!(error instanceof Collision)) throw error
    log.info('collision', { transfers: signed.length, reason: error.message })
    return new Map()
  }
  for (const { transferId, chainId, nonce, attempt, kind, hash } of signed)
    log.info('transfer_signed', { transferId, chainId, nonce, attempt, kind, hash })
  return new Map(signed.map((transaction) => [transaction.transferId, transaction]))
}

/** Sends what was stored just now, and again what is not in the chain yet. */
async function sendAll(
  plans: readonly Plan[],
  signed: ReadonlyMap<number, StoredTransaction>,
): Promise<Map<number, Sent>> {
  const sent = new Map<number, Sent>()
  const sendOn = async ({ network, steps }: Plan) => {
    const transactions = steps
      .flatMap(
        ({ transfer, action }) =>
          signed.get(transfer.id) ?? (action.do === 'send' ? newestOf(transfer) : []),
      )
      .sort((a, b) => a.nonce - b.nonce)
    const remarks = network ? await broadcast(network, transactions) : new Map<Hex, string>()
    for (const { transferId, hash } of transactions)
      sent.set(transferId, {
        hash,
        isStored: signed.has(transferId),
        remark: remarks.get(hash) ?? null,
      })
  }
  await Promise.all(plans.map(sendOn))
  return sent
}

/** One line for each transfer whose state is another one now. */
function tell(transfers: readonly Transfer[], moves: readonly Move[]): void {
  const before = new Map(transfers.map((transfer) => [transfer.id, transfer]))
  for (const { id, status, reason, txId } of moves) {
    const transfer = before.get(id)
    if (!transfer || (transfer.status === status && transfer.reason === reason)) continue
    const write = status === 'failed' || status === 'review' ? log.error : log.info
    write(`transfer_${status}`, { transferId: id, orderId: transfer.orderId, hash: txId, reason })
  }
}

const lookOf = (transferId: number, at: Date, now: Date): Look => ({
  transferId,
  delaySeconds: Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000)),
})
