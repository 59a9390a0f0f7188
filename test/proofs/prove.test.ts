/** What a proof says of a delivery on a real chain, and who gets it when. */
import { env } from 'cloudflare:workers'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { decodeAbiParameters, encodeFunctionData, getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { deliveries, deliveryStates } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { anEngine, networksOf, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, type Sale } from '../support/delivery/items.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'
import { aMasterToken, aToken, aUser, findRow, setRow } from '../support/makers.ts'

type Proof = Record<string, unknown> & { content: Record<string, unknown> }
type Answer = { proof: Proof; jws: string; code?: string; error: string }

const token = await aMasterToken()

const ask = (orderId: number, by = token) =>
  call('GET', `/api/externalOrders/${orderId}/proof`, { token: by })

const proofOf = ({ orderId }: PaidItem) => answerOf<Answer>(ask(orderId))

/** The record of the key, as the contract has it. */
async function recordOf(chain: Chain, { key }: PaidItem) {
  const data = encodeFunctionData({ abi: deliveryAbi, functionName: 'recordOf', args: [key] })
  const answer = (await chain.rpc('eth_call', { to: chain.delivery, data }, 'latest')) as Hex
  const [blockNumber, contentHash] = decodeAbiParameters(
    [{ type: 'uint64' }, { type: 'bytes24' }],
    answer,
  )
  return { blockNumber: Number(blockNumber), contentHash }
}

async function aDeliveredItem(chain: Chain, sale: Sale) {
  const item = await aPaidItem(chain, sale)
  await anEngine(chain).run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  return item
}

describe('the proof of a delivery', () => {
  it.each<[string, Sale, number]>([
    ['an ERC-721 token', { standard: 'erc721' }, 0],
    ['pieces of an ERC-1155 token', { standard: 'erc1155', quantity: 3 }, 3],
    ['one piece of an ERC-1155 token', { standard: 'erc1155' }, 1],
    ['a minted ERC-721 token', { standard: 'erc721', fulfilment: 'mint', tokenId: '7' }, 0],
    ['a minted piece', { standard: 'erc1155', fulfilment: 'mint' }, 1],
  ])('has what the contract has: %s', async (_, sale, amount) => {
    const chain = await aChain({ erc721: 1, erc1155: 10, mints: true })
    const item = await aDeliveredItem(chain, sale)
    const [transaction] = await transactionsOf(chain)
    const receipt = await chain.receiptOf(transaction?.hash)

    const answer = await proofOf(item)

    const tokens = sale.fulfilment === 'mint' ? chain.mintable : chain.contracts
    expect(answer.proof).toEqual({
      iss: 'https://marketplace.test',
      aud: 'delivery-proof',
      iat: expect.any(Number),
      orderId: item.orderId,
      orderItemId: item.id,
      deliveryKey: item.key,
      chainId: chain.chainId,
      contract: getAddress(chain.delivery),
      content: {
        token: getAddress(tokens[sale.standard]),
        to: item.recipient,
        tokenId: item.tokenId,
        amount,
      },
      ...(await recordOf(chain, item)),
      transaction: transaction?.hash,
      blockHash: receipt.blockHash,
    })
  })

  it('is the payload of a JWS with a type and a key of its own, the same each time', async () => {
    const item = await aDeliveredItem(await aChain({ erc1155: 1 }), { standard: 'erc1155' })
    const response = await ask(item.orderId)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const answer = await answerOf<Answer>(response)
    const [{ kid } = { kid: '' }] = JSON.parse(env.PROOF_KEYS).keys
    expect(decodeProtectedHeader(answer.jws)).toEqual({
      alg: 'EdDSA',
      typ: 'delivery-proof+jwt',
      kid,
    })
    expect(decodeJwt(answer.jws)).toEqual(answer.proof)
    expect(await proofOf(item)).toEqual(answer)
  })

  it('is for those who may read the order', async () => {
    const { id, orderId } = await aDeliveredItem(await aChain({ erc1155: 1 }), {
      standard: 'erc1155',
    })
    const seller = await aToken({ id: (await findRow(orderItems, id))?.sellerId ?? 0 })
    expect((await ask(orderId, seller)).status).toBe(200)
    const stranger = await aToken(await aUser())
    for (const id of [orderId, 999_999])
      expect(await answerOf(ask(id, stranger))).toMatchObject({
        status: 400,
        code: 'order_not_found',
        error: `order ${id} does not exist`,
      })
  })
})

it('says that an order is not delivered in any other state', async () => {
  const item = await aPaidItem(await aChain({ erc1155: 1 }), { standard: 'erc1155' })
  const { id } = await aUser()
  for (const state of deliveryStates.filter((state) => state !== 'transferred')) {
    await setRow(deliveries, item.id, { state, awaits: state === 'awaiting_wallet' ? id : null })
    expect(await proofOf(item)).toMatchObject({
      status: 409,
      code: 'not_delivered',
      error: `order ${item.orderId} is not delivered: it is ${state}`,
    })
  }
})

it('names the new block when a reorganization has had the item delivered again', async () => {
  const chain = await aChain({ erc1155: 1 })
  await chain.setAutomine(false)
  await chain.rpc('anvil_setBlockTimestampInterval', 1)
  await chain.mine()
  const engine = anEngine(chain)
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const deliver = async (seconds: number) => {
    await engine.step(seconds)
    await chain.mine()
    await engine.step(seconds + 10)
  }
  await deliver(10)
  const { proof: lost } = await proofOf(item)
  await chain.mine(2)
  await chain.rpc('anvil_reorg', 3, [])
  await engine.step(30)
  expect(await proofOf(item)).toMatchObject({ code: 'not_delivered' })

  await deliver(40)
  const { proof } = await proofOf(item)
  expect(proof.contentHash).toBe(lost.contentHash)
  expect(proof.blockHash).not.toBe(lost.blockHash)
  expect(proof.blockNumber).toBe((await recordOf(chain, item)).blockNumber)
})

it('proves what was found on the chain after the database was set back', async () => {
  const chain = await aChain({ erc721: 1 })
  const item = await aPaidItem(chain, { standard: 'erc721' })
  const copy = await takeSnapshot()
  await anEngine(chain).run()
  const { proof: first } = await proofOf(item)
  await restore(copy)
  await anEngine(chain).run(120)
  expect((await proofOf(item)).proof).toEqual({ ...first, iat: expect.any(Number) })
})

it('has no transaction and no block if no node has told which it was', async () => {
  const chain = await aChain({ erc721: 1 })
  const item = await aPaidItem(chain, { standard: 'erc721' })
  const copy = await takeSnapshot()
  await anEngine(chain).run()
  const { proof: first } = await proofOf(item)
  await restore(copy)
  await chain.setFaults({ on: ['eth_getLogs'], effect: { result: null } })
  for (const seconds of [100, 200, 900, 1000]) await anEngine(chain).step(seconds)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: null })

  // It has never had a transaction, so the contract is that of the network.
  const path = `/api/externalOrders/${item.orderId}/proof`
  const asked = callWith({ NETWORKS: networksOf([chain]) }, 'GET', path, { token })
  expect((await answerOf<Answer>(asked)).proof).toEqual({
    ...first,
    iat: expect.any(Number),
    transaction: null,
    blockNumber: null,
    blockHash: null,
  })
})

it('cannot prove what was delivered to a person whose data was removed', async () => {
  const item = await aDeliveredItem(await aChain({ erc1155: 1 }), { standard: 'erc1155' })
  await setRow(orderItems, item.id, { ethRecipient: null })
  expect(await proofOf(item)).toMatchObject({
    status: 409,
    code: 'conflict',
    error: `too little is stored of order ${item.orderId} to prove its delivery`,
  })
})
