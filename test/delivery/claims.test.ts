/** Wrong answers that would be stored: they are not believed, or what was stored heals by itself. */
import { env } from 'cloudflare:workers'
import { getAddress, type Hex, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { live } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'

const logged = recordLogs()

const MINUTE = 60
const edition = { standard: 'erc1155' } as const

const networkOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT settledBlock, settledHash, contracts FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<{ settledBlock: number | null; settledHash: Hex | null; contracts: string }>()

/** What the first node would say of a transaction that it has not sent, if it were in the newest block. */
async function fakeReceipt(chain: Chain, hash: string | undefined) {
  const { number, hash: blockHash } = Object(
    await chain.rpc('eth_getBlockByNumber', 'latest', false),
  )
  const [row] = await transactionsOf(chain)
  return {
    transactionHash: hash,
    blockNumber: number,
    blockHash,
    status: '0x1',
    from: row?.signer,
    gasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    logs: [],
  }
}

/** Places an item whose transaction the node swallows and then shows in the newest block. */
async function aSwallowedSale() {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain)
  const item = await aPaidItem(chain, edition)
  const swallow = {
    ...{ node: '0', on: ['eth_sendRawTransaction'] },
    effect: { result: numberToHex(1, { size: 32 }) },
  } as const
  await chain.setFaults(swallow)
  market.queue.put(chain)
  await market.deliver()
  const [{ nonce = 0, hash } = {}] = await transactionsOf(chain)
  await chain.setFaults(
    swallow,
    {
      ...{ node: '0', on: ['eth_getTransactionCount'] },
      effect: { result: numberToHex(nonce + 1) },
    },
    {
      ...{ node: '0', on: ['eth_getTransactionReceipt'] },
      effect: { result: await fakeReceipt(chain, hash) },
    },
  )
  return { chain, market, item, nonce }
}

it('signs a nonce again ten minutes after the only node has made up its receipt', async () => {
  const { chain, market, item, nonce } = await aSwallowedSale()
  await live(market, MINUTE)
  // It was believed, so the next transaction has to wait for a nonce that nobody has used.
  const [closed] = await transactionsOf(chain)
  expect(closed).toMatchObject({ isOpen: 0, nonce })
  await chain.setFaults()
  await live(market, 12 * MINUTE)
  await expectDelivered(chain, [item])
  await expectExactlyOnce(chain, [item])
  expect(logged('nonces_contradicted')).toHaveLength(1)
})

it('forgets a settled block that no node has had for ten minutes', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const first = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await live(market, MINUTE)
  await expectDelivered(chain, [first])
  const row = await rowOf(first)
  await env.DB.prepare('UPDATE networks SET settledBlock = ?, settledHash = ? WHERE chainId = ?')
    .bind(2 ** 31, numberToHex(7, { size: 32 }), chain.chainId)
    .run()
  const second = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await live(market, 9 * MINUTE)
  expect(await rowOf(second)).toMatchObject({ state: 'queued' })
  await live(market, 3 * MINUTE)
  await expectDelivered(chain, [first, second])
  await expectExactlyOnce(chain, [first, second])
  // What stands was not touched.
  expect(await rowOf(first)).toMatchObject({ version: row.version, txId: row.txId })
  expect((await networkOf(chain))?.settledBlock).toBeLessThan(2 ** 31)
})

it('forgets a contract that no node has known for ten minutes, and what it would have delivered', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const first = await aPaidItem(chain, edition)
  const [wrong, { number, hash }] = [
    chain.contracts.erc721,
    Object(await chain.rpc('eth_getBlockByNumber', 'latest', false)),
  ]
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO networks (chainId, leaseUntil, contracts) VALUES (?, '', json_array(?))`,
    ).bind(chain.chainId, wrong),
    env.DB.prepare(
      `INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
         maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block, blockHash,
         isOpen, createdAt, updatedAt)
       VALUES (?, ?, ?, 7, json_array(?), ?, '[]', 0, '0', '0', 0, 0, '', ?, ?, 0, '', '')`,
    ).bind(
      ...[chain.chainId, wrong, chain.owner, first.id, numberToHex(7, { size: 32 })],
      ...[Number(number), hash],
    ),
    env.DB.prepare(
      `UPDATE deliveries SET state = 'transferred', dueAt = NULL, contract = ?,
         transactionId = (SELECT max(id) FROM transactions) WHERE id = ?`,
    ).bind(wrong, first.id),
  ])
  const second = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await live(market, 9 * MINUTE)
  expect(await rowOf(second)).toMatchObject({ state: 'queued' })
  await live(market, 4 * MINUTE)
  await expectDelivered(chain, [first, second])
  await expectExactlyOnce(chain, [first, second])
  expect(await networkOf(chain)).toMatchObject({ contracts: JSON.stringify([chain.delivery]) })
})

it('does not forget a contract for which it has signed, though no node knows it any more', async () => {
  const chain = await aChain({ erc1155: 10 })
  const first = await aPaidItem(chain, edition)
  const before = aMarketplace(chain, { nodes: 2 })
  before.queue.put(chain)
  await live(before, MINUTE)
  await expectDelivered(chain, [first])
  const code = await chain.rpc('eth_getCode', chain.delivery, 'latest')
  const next = numberToHex(77n, { size: 20 })
  await chain.rpc('anvil_setCode', next, code)
  await chain.rpc('anvil_setCode', chain.delivery, '0x')
  const second = await aPaidItem(chain, edition)
  const market = aMarketplace(chain, { nodes: 2, network: { delivery: getAddress(next) } })
  market.queue.put(chain)
  await live(market, 15 * MINUTE)
  expect(await rowOf(second)).toMatchObject({ state: 'queued', contract: null })
  expect(await networkOf(chain)).toMatchObject({ contracts: JSON.stringify([chain.delivery]) })
  expect(logged('contract_not_linked')).not.toEqual([])
})

it('fails nothing for a missing event that one node does not have, while the other is silent', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  const copy = await takeSnapshot()
  market.queue.put(chain)
  await live(market, 10)
  const { txId } = await rowOf(item)
  const receipt = Object(await chain.receiptOf(txId ?? undefined))
  await restore(copy)
  const logs = receipt.logs.filter(
    ({ address }: { address: string }) => getAddress(address) === chain.delivery,
  )
  await chain.setFaults(
    { node: '0', on: ['eth_getTransactionReceipt'], effect: { result: { ...receipt, logs } } },
    { node: '1', on: ['eth_getTransactionByHash'], effect: { result: null } },
  )
  market.queue.put(chain)
  await live(market, 13 * MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode: 'transaction_not_found' })
  await chain.setFaults()
  await live(market, 6 * MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId })
})
