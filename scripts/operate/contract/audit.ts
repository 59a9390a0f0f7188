/** `npm run contract -- audit`: compares the keys that were used with what was ordered. */
import { eq, sql } from 'drizzle-orm'
import { type GetLogsReturnType, getAbiItem } from 'viem'
import { deliveryAbi as abi } from '../../../contracts/delivery-abi.ts'
import { nfts } from '../../../src/db/schema/catalogue.ts'
import { deliveries } from '../../../src/db/schema/delivery.ts'
import { orderItems } from '../../../src/db/schema/orders.ts'
import { CommandError, parseInteger } from '../../shell/command.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import { withDatabase } from '../database/source.ts'
import { openContract, readLineage } from './delivery.ts'
import { readLogs } from './logs.ts'
import type { Network } from './networks.ts'
import { attempt, connect } from './node.ts'

/** The events which say that a key was used. */
const events = [
  getAbiItem({ abi, name: 'Delivered' }),
  getAbiItem({ abi, name: 'Cancelled' }),
] as const
type KeyUse = GetLogsReturnType<undefined, typeof events, true>[number]

/** Keys of one query. D1 takes statements of at most 100 KB. */
const KEYS_PER_QUERY = 1000

type Options = { env?: string; remote: boolean; 'from-block'?: string; 'to-block'?: string }

/**
 * Prints the keys that the contract and its predecessors used in the blocks and this instance did
 * not order. Throws a `CommandError` if there is any.
 */
export async function auditContract(
  network: Network,
  { 'from-block': from = '', 'to-block': to, env, remote }: Options,
): Promise<void> {
  if (env && !remote)
    throw new CommandError('Add --remote: the local database does not know the orders of --env.')
  const fromBlock = parseInteger('--from-block', from)
  const toOption = to === undefined ? undefined : parseInteger('--to-block', to)
  const node = await connect(network)
  const { address } = await openContract(node, network)
  const lineage = await readLineage(node, address)
  const head = Number(await attempt('Reading the newest block', node.getBlockNumber()))
  const toBlock = toOption ?? head
  if (fromBlock > toBlock || toBlock > head)
    throw new CommandError(
      `There are no blocks ${fromBlock} to ${toBlock}: the newest block is ${head}.`,
    )
  let count = 0
  let unknown = 0
  await withDatabase(env, async (db) => {
    const what = { address: lineage, events }
    const blocks = { from: fromBlock, to: toBlock }
    for await (const { logs } of readLogs(node, what, blocks))
      for (let i = 0; i < logs.length; i += KEYS_PER_QUERY) {
        const uses = logs.slice(i, i + KEYS_PER_QUERY)
        const found = await findOrders(db, uses)
        const orders = new Map(found.map((order) => [order.key, order]))
        for (const use of uses) {
          count += 1
          const problem = findProblem(use, network.chainId, orders.get(use.args.key))
          if (!problem) continue
          unknown += 1
          for (const line of describeUse(use, problem)) console.log(line)
        }
      }
  })
  const blocks = `in the blocks ${fromBlock} to ${toBlock}`
  if (unknown > 0)
    throw new CommandError(
      `${unknown} of ${count} keys that were used ${blocks} were not ordered by this instance.`,
    )
  console.log(`All ${count} keys that were used ${blocks} were ordered by this instance.`)
}

type Order = Awaited<ReturnType<typeof findOrders>>[number]

function findOrders(db: SqliteDatabase, uses: readonly KeyUse[]) {
  const keys = JSON.stringify(uses.map(({ args }) => args.key))
  return db
    .select({
      key: deliveries.key,
      state: deliveries.state,
      cancelRequestedAt: deliveries.cancelRequestedAt,
      chainId: deliveries.chainId,
      token: nfts.contractAddr,
      tokenId: nfts.tokenId,
      to: orderItems.ethRecipient,
      quantity: orderItems.quantity,
      fulfilment: nfts.fulfilment,
    })
    .from(deliveries)
    .innerJoin(orderItems, eq(orderItems.id, deliveries.id))
    .innerJoin(nfts, eq(nfts.id, orderItems.nftId))
    .where(sql`${deliveries.key} IN (SELECT value FROM json_each(${keys}))`)
}

/** Returns why a use of a key was not ordered; undefined if it was. */
function findProblem(use: KeyUse, chainId: number, order: Order | undefined): string | undefined {
  if (!order) return 'not in the database'
  if (order.chainId !== chainId) return 'that of an order on another chain'
  if (use.eventName === 'Cancelled')
    return order.cancelRequestedAt ? undefined : 'that of an order that nobody asked to cancel'
  const { token, tokenId, from, to, amount } = use.args
  // A recipient who was forgotten after the delivery has no wallet any more.
  const isRecipient =
    order.to === null ? order.state === 'transferred' : isSameAddress(order.to, to)
  const isOrdered =
    isRecipient &&
    (order.fulfilment === 'mint') === (BigInt(from) === 0n) &&
    isSameAddress(order.token, token) &&
    isSameNumber(order.tokenId, tokenId) &&
    BigInt(order.quantity) === (amount || 1n)
  return isOrdered ? undefined : 'that of an order with other content'
}

const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const isSameNumber = (text: string | null, number: bigint): boolean =>
  text !== null && /^\d+$/.test(text) && BigInt(text) === number

function describeUse(use: KeyUse, problem: string): string[] {
  const { args, transactionHash, blockNumber } = use
  const content =
    use.eventName === 'Cancelled'
      ? ['  cancelled    nothing was transferred']
      : [
          `  relayer      ${use.args.relayer}`,
          `  token        ${use.args.token}`,
          `  id           ${use.args.tokenId}`,
          `  pieces       ${use.args.amount || 1n}`,
          `  from         ${use.args.from}`,
          `  to           ${use.args.to}`,
        ]
  return [
    `key            ${args.key}: ${problem}`,
    ...content,
    `  transaction  ${transactionHash} in block ${blockNumber}`,
  ]
}
