import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  authorizeOperator,
  type Collectibles,
  deployCollectibles,
} from '../../../scripts/local/chain/collectibles.ts'
import { type Contract, sendAs } from '../../../scripts/operate/contract/delivery.ts'
import { confirm } from '../../../scripts/operate/contract/node.ts'
import type { SqliteDatabase } from '../../../scripts/operate/database/remote.ts'
import { deliveries } from '../../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../../src/db/schema/orders.ts'
import { aLocalDatabase } from '../../support/command.ts'
import {
  aCancel,
  aKey,
  aWallet,
  type Commands,
  contractCommands,
  type Item,
  owner,
  relayer,
  stranger,
} from '../../support/contract.ts'
import { withDrizzle } from '../../support/sqlite.ts'
import { NO_IDS, synthetic } from '../../support/synthetic.ts'

const NOW = '2026-03-01T12:00:00.000Z'
const timestamps = { createdAt: NOW, updatedAt: NOW }
const price = { priceCents: 1, priceEths: '0', priceCurrency: 'EUR' }

let commands: Commands
let db: SqliteDatabase
let collectibles: Collectibles
let delivery: Contract

beforeAll(async () => {
  commands = await contractCommands()
  const database = await aLocalDatabase()
  for (const sql of synthetic({ users: 1, nfts: 1, orders: 0 }, NO_IDS)) database.exec(sql)
  db = withDrizzle(database)
  const { address } = await commands.deploy()
  collectibles = await deployCollectibles(commands.rpcUrl, {
    ...{ seller: owner, operator: address, uniques: 0 },
    editions: [{ id: 7n, amount: 1000n }],
  })
  database.exec(`UPDATE nfts SET contractAddr = lower('${collectibles.erc1155}'), tokenId = '7'`)
})

afterAll(() => commands.close())

beforeEach(async () => {
  delivery = await aDelivery()
})

/** Configures a new contract that may transfer the tokens of the owner. */
async function aDelivery(predecessor?: Address): Promise<Contract> {
  const contract = await commands.deploy({ predecessor })
  const { address: operator } = contract
  await authorizeOperator(commands.rpcUrl, { seller: owner, operator }, collectibles)
  await commands.configure(operator)
  return contract
}

type Ordered = Partial<typeof deliveries.$inferInsert> & { to?: string | null; quantity?: number }

let id = 0

/** Stores an order of NFT 1, and returns its item as the contract takes it. */
async function anOrder({ to = aWallet(), quantity = 1, ...values }: Ordered = {}): Promise<Item> {
  const key = aKey()
  id += 1
  await db.insert(orders).values({
    ...{ id, buyerId: 1, billingAddressId: 1, namespace: 'a' },
    ...{ payprovWebhookToken: '', claimSecret: '', totalPriceCents: 1, totalPriceCurrency: 'EUR' },
    ...{ totalPriceEth: '0', createdAt: timestamps.createdAt },
  })
  await db.insert(orderItems).values({
    ...{ id, orderId: id, nftId: 1, listingId: 1, sellerId: 1, quantity, ethRecipient: to },
    ...price,
  })
  await db.insert(deliveries).values({
    ...{ id, key, chainId: 31337, state: 'queued', placer: 'a', ...timestamps, ...values },
  })
  return anItem(key, { to: (to ?? aWallet()) as Address, amount: BigInt(quantity) })
}

const anItem = (key: Hex, item: Partial<Item> = {}): Item => ({
  ...{ key, token: collectibles.erc1155, from: owner.address, to: aWallet() },
  ...{ tokenId: 7n, amount: 1n, ...item },
})

const audit = (...args: string[]) => commands.run('audit', args, null)

const newestBlock = async () => Number(await commands.node.getBlockNumber({ cacheTime: 0 }))

it('finds nothing in what was ordered, in the contract and those before it', async () => {
  const from = await newestBlock()
  const requested = { requestedAction: 'cancel', cancelRequestedAt: NOW } as const
  const cancelled = await anOrder({ state: 'queued', ...requested })
  await commands.deliver(delivery.address, [await anOrder({ quantity: 3 }), aCancel(cancelled.key)])
  // The recipient was forgotten after the delivery.
  await commands.deliver(delivery.address, [await anOrder({ to: null, state: 'transferred' })])
  await confirm(commands.node, delivery.write.retire(sendAs(owner)))
  const successor = await aDelivery(delivery.address)
  await commands.deliver(successor.address, [await anOrder()])
  expect(await audit('--from-block', `${from}`)).toEqual({
    out: `All 4 keys that were used in the blocks ${from} to ${await newestBlock()} were ordered by this instance.\n`,
    errors: '',
    status: 0,
  })
})

it('lists what a thief with the key of a relayer has taken, in the blocks that it is told', async () => {
  const stolen = anItem(aKey(), { to: stranger.address, amount: 9n })
  await commands.deliver(delivery.address, [anItem(aKey())])
  const receipt = await commands.deliver(delivery.address, [stolen, await anOrder()])
  await commands.deliver(delivery.address, [anItem(aKey())])
  const block = `${receipt.blockNumber}`
  const { out, errors, status } = await audit('--from-block', block, '--to-block', block)
  expect(out.split('\n')).toEqual([
    `key            ${stolen.key}: not in the database`,
    `  relayer      ${relayer.address}`,
    `  token        ${collectibles.erc1155}`,
    '  id           7',
    '  pieces       9',
    `  from         ${owner.address}`,
    `  to           ${stranger.address}`,
    `  transaction  ${receipt.transactionHash} in block ${block}`,
    '',
  ])
  expect({ errors, status }).toEqual({
    errors: `1 of 2 keys that were used in the blocks ${block} to ${block} were not ordered by this instance.\n`,
    status: 1,
  })
})

it('lists keys of orders that were used for something else', async () => {
  const from = await newestBlock()
  const settled = { state: 'cancelled', requestedAction: 'cancel' } as const
  const uses = [
    { ...(await anOrder()), to: stranger.address },
    { ...(await anOrder()), amount: 2n },
    { ...(await anOrder({ state: 'transferred' })), amount: 2n },
    await anOrder({ to: null, state: 'awaiting_wallet', awaits: 1 }),
    await anOrder({ chainId: 1 }),
    aCancel((await anOrder()).key),
    // The engine has settled it: it looks as if it had been asked for.
    aCancel((await anOrder(settled)).key),
    aCancel(aKey()),
  ]
  await commands.deliver(delivery.address, uses)
  const { out } = await audit('--from-block', `${from}`)
  const found = [...out.matchAll(/^key +(\w+): (.*)$/gm)].map(([, key, problem]) => [key, problem])
  expect(found).toEqual([
    [uses[0]?.key, 'that of an order with other content'],
    [uses[1]?.key, 'that of an order with other content'],
    [uses[2]?.key, 'that of an order with other content'],
    [uses[3]?.key, 'that of an order with other content'],
    [uses[4]?.key, 'that of an order on another chain'],
    [uses[5]?.key, 'that of an order that nobody asked to cancel'],
    [uses[6]?.key, 'that of an order that nobody asked to cancel'],
    [uses[7]?.key, 'not in the database'],
  ])
})

it('needs the first block', async () => {
  expect((await audit()).errors).toContain('--from-block must be a whole number from 0, not "".')
})
