/** What is wrong with the database after a lie, by what the honest node says. */
import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import type { NodeRow } from '../../../../src/db/schema/operations.ts'
import { decodeLimit, encodeLimit } from '../../../../src/ethereum/contract.ts'
import { type Row, rowsOf } from '../engine.ts'
import { expectExactlyOnce } from '../oracle.ts'
import type { Fate, World } from './world.ts'

/** Alarms that may last: somebody has to look at them. */
const LASTING = [
  'foreign_transaction',
  'contract_changed',
  'deliveries_failed',
  'failed_by_one_node',
]

/** What items wait for that nobody can deliver. */
const WAITING = ['holder_has_no_token', 'transfer_without_effect']

/** Returns what is wrong; nothing once all is delivered and every stored value is right. */
export async function complaints(world: World): Promise<string[]> {
  const lists = [
    await wrongItems(world),
    await wrongTransactions(world),
    await wrongNetwork(world),
    await wrongCheck(world),
    await wrongSigners(world),
    await alarmsOf(world),
  ]
  return lists.flat()
}

const select = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<T>()
  ).results

/** Returns which items are not as the chain has them. */
export async function wrongItems({ chain, items, otherSeller }: World): Promise<string[]> {
  const isStock = ({ to }: { to: string }) => to === otherSeller
  const rows = await rowsOf(items)
  const states = items.flatMap((item) => {
    const row = rows.get(item.id)
    return row && hasMet(item.fate, row)
      ? []
      : [`item ${item.id} is ${row?.state} (${row?.reason}), due ${row?.dueAt}`]
  })
  const wanted = items.filter(({ fate }) => fate === 'delivered')
  const stock = await select<{ id: number; text: string }>(
    `SELECT n.id, n.availableAmount || ' of NFT ' || n.id || ' are left' AS text
     FROM nfts n JOIN orderItems i ON i.nftId = n.id JOIN deliveries d ON d.id = i.id
     WHERE n.availableAmount <> 99 + iif(d.state = 'cancelled', i.quantity, 0)`,
  )
  const oracle = await messageOf(expectExactlyOnce(chain, wanted, { isTheft: isStock }))
  return [...states, ...stock.map(({ text }) => text), ...oracle]
}

function hasMet(fate: Fate, { state, requestedAction, reasonCode }: Row): boolean {
  if (fate === 'moved nothing') return state === 'failed' && reasonCode === 'token_moved_nothing'
  if (requestedAction === 'cancel') return fate === 'delivered' && state === 'cancelled'
  return fate === 'delivered'
    ? state === 'transferred'
    : ['queued', 'failed', 'awaiting_wallet'].includes(state)
}

/** The message of an error. */
const messageOf = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    ({ message, actual }) => [`${message} ${JSON.stringify(actual)?.slice(0, 500)}`],
  )

type TransactionRow = {
  id: number
  signer: string
  nonce: number
  hash: string
  block: number | null
  blockHash: string | null
  isOpen: 0 | 1
}

async function wrongTransactions({ chain, ask }: World): Promise<string[]> {
  const rows = await select<TransactionRow>(
    'SELECT id, signer, nonce, hash, block, blockHash, isOpen FROM transactions WHERE chainId = ?',
    chain.chainId,
  )
  const found: string[] = []
  for (const { id, signer, nonce, hash, block, blockHash, isOpen } of rows) {
    const name = `transaction ${id} (nonce ${nonce}, ${isOpen ? 'open' : 'closed'})`
    const count = Number(await ask('eth_getTransactionCount', signer, 'latest'))
    const open = rows.filter((row) => row.isOpen && row.signer === signer).length
    if (!isOpen && nonce >= count) found.push(`${name} has a nonce that nobody has used`)
    if (isOpen && nonce >= count + open) found.push(`${name} has a gap before its nonce`)
    if (block === null) continue
    const mined = Object(await ask('eth_getTransactionByHash', hash))
    const truth = [mined.from?.toLowerCase(), mined.nonce, mined.blockNumber, mined.blockHash]
    const stored = [
      signer.toLowerCase(),
      `0x${nonce.toString(16)}`,
      `0x${block.toString(16)}`,
      // What one node alone has told is not stored.
      blockHash ?? mined.blockHash,
    ]
    if (truth.join() !== stored.join()) found.push(`${name} is ${stored} instead of ${truth}`)
  }
  return found
}

async function wrongNetwork({ chain, ask }: World): Promise<string[]> {
  const [row] = await select<{
    settledBlock: number | null
    settledHash: string | null
    contracts: string
    problem: string | null
    unconfirmedSince: string | null
    maxPieces: number | null
  }>('SELECT * FROM networks WHERE chainId = ?', chain.chainId)
  if (!row) return ['the network has no row']
  const { settledBlock, settledHash, problem, unconfirmedSince, maxPieces } = row
  const found: string[] = []
  if (settledBlock !== null) {
    const number = `0x${settledBlock.toString(16)}`
    const block = Object(await ask('eth_getBlockByNumber', number, false).catch(() => null))
    if (block.hash !== settledHash)
      found.push(`settled is block ${settledBlock} ${settledHash}, and its hash is ${block.hash}`)
  }
  const contracts: string[] = JSON.parse(row.contracts)
  const foreign = contracts.filter((one) => one !== chain.delivery)
  if (foreign.length > 0) found.push(`${foreign} are among the contracts of the network`)
  if (problem !== null) found.push(`the network has the problem ${problem}`)
  if (unconfirmedSince !== null) found.push(`nothing is confirmed since ${unconfirmedSince}`)
  const data = encodeLimit('relayerLimit', chain.signer)
  const limit = decodeLimit((await ask('eth_call', { to: chain.delivery, data }, 'latest')) as Hex)
  const truth = limit?.capacity
  if (maxPieces !== null && maxPieces !== truth)
    found.push(`a relayer may deliver ${maxPieces} pieces at once, instead of ${truth}`)
  return found
}

/** Blocks that are mined between a check and the judgement at most. */
const MARGIN = 60

async function wrongCheck({ chain, ask }: World): Promise<string[]> {
  const [row] = await select<{
    problem: string | null
    headNumber: number
    headAt: string
    isPaused: 0 | 1
    isRetired: 0 | 1
    signers: string
    nodes: string
  }>('SELECT * FROM networkChecks WHERE chainId = ?', chain.chainId)
  if (!row) return ['the network was never checked']
  const found: string[] = []
  const { problem, headNumber, isPaused, isRetired } = row
  const head = Number(await ask('eth_blockNumber'))
  if (problem !== null) found.push(`the check found the problem ${problem}`)
  if (headNumber > head || headNumber < head - MARGIN)
    found.push(`the check found block ${headNumber} instead of ${head}`)
  if (isPaused || isRetired) found.push('the check found the contract paused or retired')
  const signers: { address: string; limit: unknown }[] = JSON.parse(row.signers)
  const nodes: NodeRow[] = JSON.parse(row.nodes)
  for (const { address, limit } of signers) {
    const count = Number(await ask('eth_getTransactionCount', address, 'latest'))
    for (const [node, { state }] of nodes.entries()) {
      const { nonce, missing = [] } = state?.relayers[address] ?? {}
      if (nonce !== count)
        found.push(`the check of node ${node} found the nonce ${nonce} instead of ${count}`)
      if (missing.length > 0) found.push(`node ${node} has no receipt at the nonces ${missing}`)
    }
    if (limit === null) found.push(`the check found no limit of ${address}`)
  }
  return found
}

async function wrongSigners({ chain }: World): Promise<string[]> {
  const now = new Date().toISOString()
  const signers = await select<{ text: string }>(
    `SELECT address || ' pauses until ' || pausedUntil AS text FROM signers
     WHERE chainId = ? AND pausedUntil > ?`,
    chain.chainId,
    now,
  )
  const burns = await select<{ text: string }>(
    `SELECT token || ' has used up gas' AS text FROM burns WHERE chainId = ?`,
    chain.chainId,
  )
  return [...signers, ...burns].map(({ text }) => text)
}

async function alarmsOf({ chain, one }: World): Promise<string[]> {
  const rows = await select<{ key: string; name: string; detail: string }>(
    'SELECT "key", name, detail FROM alarms WHERE "key" LIKE ?',
    `%:${chain.chainId}%`,
  )
  // What a signer has is little if the case says so.
  const mayLast = one.funds === null ? LASTING : [...LASTING, 'signer_low']
  return rows
    .filter(
      ({ key, name }) => !mayLast.includes(name) && !WAITING.some((code) => key.endsWith(code)),
    )
    .map(({ key, detail }) => `the alarm ${key} lasts: ${detail}`)
}
