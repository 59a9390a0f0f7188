/** Buyers whose contract wallet is not deployed yet: its factory has proved the address (EIP-6492). */
import { eq } from 'drizzle-orm'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aSession, aUser, db } from '../support/makers.ts'
import {
  anUndeployedWallet,
  deploy,
  factoryAbi,
  orderFor,
  proveWallet,
  type UndeployedWallet,
} from '../support/undeployed-wallet.ts'
import { aVisitor, aWallet } from '../support/visitor.ts'

const logged = recordLogs()

const MINUTE = 60
const NOT_DEPLOYED = explain('recipient_not_deployed')

/** Signs in with the wallet, and returns the user. */
async function signIn(chain: Chain, wallet: UndeployedWallet, options = {}) {
  const response = await proveWallet(aVisitor(), chain, wallet, options)
  expect(response.status).toBe(200)
  const { userId: id } = await response.json<{ userId: number }>()
  return { id }
}

const codeOf = (chain: Chain, { address }: UndeployedWallet) =>
  chain.rpc('eth_getCode', address, 'latest')

const isProved = async ({ id }: { id: number }) =>
  (await db.select().from(users).where(eq(users.id, id)))[0]?.walletProvedByFactory

/** Signs in while the wallet is deployed, then removes its code. */
async function loseCode(chain: Chain, wallet: UndeployedWallet, options = {}) {
  await deploy(chain, wallet)
  const buyer = await signIn(chain, wallet, options)
  await chain.rpc('anvil_setCode', wallet.address, '0x')
  return buyer
}

it('gets tokens after it is deployed, and stays the same account', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 1 })
  const wallet = await anUndeployedWallet(chain)
  const buyer = await signIn(chain, wallet)
  const first = await orderFor(chain, buyer, 'erc721')
  await deploy(chain, wallet)
  await anEngine(chain).run()
  expect(await signIn(chain, wallet, { isPlain: true })).toEqual(buyer)
  expect(await isProved(buyer)).toBe(false)
  const second = await orderFor(chain, buyer)
  await anEngine(chain).run(MINUTE)
  await expectDelivered(chain, [first, second])
})

it('gets what waits because only a catalogue had named it, once it signs in', async () => {
  const chain = await aChain({ erc1155: 1 })
  const wallet = await anUndeployedWallet(chain)
  const { address: ethereumPublicAddr } = wallet
  const externalId = crypto.randomUUID()
  const buyer = await aUser({ externalId, ethereumPublicAddr, walletChainId: chain.chainId })
  const item = await orderFor(chain, buyer)
  const engine = anEngine(chain)
  await engine.run()
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...NOT_DEPLOYED })
  expect(await signIn(chain, wallet)).toEqual({ id: buyer.id })
  await engine.run(MINUTE)
  await expectDelivered(chain, [item])
})

it('is linked to an account that waits for a wallet', async () => {
  const chain = await aChain({ erc1155: 1 })
  const wallet = await anUndeployedWallet(chain)
  const { user, visitor } = await aVisitorWithoutWallet()
  const item = await orderFor(chain, user)
  expect(await rowOf(item)).toMatchObject({ state: 'awaiting_wallet' })
  const response = await proveWallet(visitor, chain, wallet, { purpose: 'link' })
  expect(await response.json()).toEqual({ userId: user.id, transfers: 1 })
  await anEngine(chain).run()
  await expectDelivered(chain, [{ ...item, recipient: wallet.address }])
})

async function aVisitorWithoutWallet() {
  const user = await aUser({ ethereumPublicAddr: '', email: `${crypto.randomUUID()}@x.org` })
  const visitor = aVisitor()
  visitor.cookies.set('token', await aSession(user))
  return { user, visitor }
}

it('leaves nothing to whoever links it after it was unlinked', async () => {
  const chain = await aChain({ erc1155: 2 })
  const wallet = await anUndeployedWallet(chain)
  const first = await aVisitorWithoutWallet()
  const second = await aVisitorWithoutWallet()
  const link = ({ visitor }: typeof first) =>
    proveWallet(visitor, chain, wallet, { purpose: 'link' })
  expect((await link(first)).status).toBe(200)
  const ofFirst = await orderFor(chain, first.user)
  expect((await link(second)).status).toBe(409)
  await first.visitor.post('/settings/account/wallet/unlink')
  expect(await isProved(first.user)).toBe(false)
  expect((await link(second)).status).toBe(200)
  const ofSecond = await orderFor(chain, second.user)
  await anEngine(chain).run()
  expect(await rowOf(ofFirst)).toMatchObject({ state: 'awaiting_wallet' })
  await expectDelivered(chain, [ofSecond])
  expect(await transferEvents(chain)).toHaveLength(1)
})

describe('gets nothing', () => {
  it.each([
    ['plainly', true],
    ['with its factory', false],
  ])('without code, if it had some when it signed %s', async (_, isPlain) => {
    const chain = await aChain({ erc1155: 1 })
    const wallet = await anUndeployedWallet(chain)
    const item = await orderFor(chain, await loseCode(chain, wallet, { isPlain }))
    const engine = anEngine(chain)
    await engine.run()
    await engine.run(10 * MINUTE)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', ...NOT_DEPLOYED })
  })

  it('without code, if it has signed with code after it had proved its factory', async () => {
    const chain = await aChain({ erc1155: 1 })
    const wallet = await anUndeployedWallet(chain)
    const buyer = await signIn(chain, wallet)
    expect(await loseCode(chain, wallet)).toEqual(buyer)
    const item = await orderFor(chain, buyer)
    await anEngine(chain).run()
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...NOT_DEPLOYED })
  })
})

it('does not sign in if no node tells whether it is deployed', async () => {
  const chain = await aChain()
  const wallet = await anUndeployedWallet(chain)
  await chain.setFaults({ on: ['eth_getCode'], effect: { result: null } })
  expect((await proveWallet(aVisitor(), chain, wallet)).status).toBe(503)
})

describe('does not sign in', () => {
  const isRejected = async (chain: Chain, wallet: UndeployedWallet, network = {}) =>
    expect((await proveWallet(aVisitor(), chain, wallet, network)).status).toBe(401)

  it('with what belongs to another wallet: its factory, its key or its address', async () => {
    const chain = await aChain()
    const wallet = await anUndeployedWallet(chain)
    const other = await anUndeployedWallet(chain)
    const idle = { to: aWallet().address, data: '0x' } as const
    await isRejected(chain, { ...wallet, deployment: other.deployment })
    await isRejected(chain, { ...wallet, deployment: idle })
    await isRejected(chain, { ...wallet, sign: other.sign })
    // A wallet with a key names a factory.
    await isRejected(chain, { ...wallet, address: aWallet().address })
  })

  it('if one of two nodes says that it has other code', async () => {
    const chain = await aChain()
    const wallet = await anUndeployedWallet(chain)
    const rpcUrls = ['first', 'second'].map((name) => `${chain.proxyUrl}/${name}`)
    const effect = { result: '0x6000' }
    await chain.setFaults({ node: 'second', on: ['eth_getCode'], effect })
    await isRejected(chain, wallet, { rpcUrls })
    expect(logged('nodes_disagree')).toEqual([
      { chainId: chain.chainId, kind: 'is_proven', answers: [true, false] },
    ])
  })

  it('once somebody else has come first at an address that its factory gives to anybody', async () => {
    const chain = await aChain({ erc1155: 1 })
    const wallet = await anUndeployedWallet(chain, 'deployNext')
    const item = await orderFor(chain, await signIn(chain, wallet))
    const args = [aWallet().address] as const
    const data: Hex = encodeFunctionData({ abi: factoryAbi, functionName: 'deployNext', args })
    await deploy(chain, { ...wallet, deployment: { ...wallet.deployment, data } })
    expect(await codeOf(chain, wallet)).not.toBe('0x')
    await isRejected(chain, wallet)
    // The buyer has proved the address, with a factory that gives it to others, too.
    await anEngine(chain).run()
    await expectDelivered(chain, [item])
  })
})
