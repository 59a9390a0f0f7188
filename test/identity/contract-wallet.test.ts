import { env } from 'cloudflare:workers'
import { getAddress, type Hex, padHex, serializeErc6492Signature } from 'viem'
import { expect, it } from 'vitest'
import { leaveOut, stepNodes } from '../../src/chain/nodes.ts'
import { users } from '../../src/db/schema/users.ts'
import { readSettings } from '../../src/env.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import {
  createWalletMessage,
  isSignedByContract,
  verifyWalletMessage,
} from '../../src/identity/wallet.ts'
import { aShop, billingData, placed } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Effect } from '../support/chain/faults.ts'
import { networksOf } from '../support/delivery/engine.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aSession, aUser, db, findRow, setRow } from '../support/makers.ts'
import { anUndeployedWallet, deploy, proveWallet } from '../support/undeployed-wallet.ts'
import { aVisitor, aWallet, signInByWallet, type Visitor } from '../support/visitor.ts'

const logged = recordLogs()

/**
 * A contract whose `isValidSignature(bytes32,bytes)` (EIP-1271) accepts signatures that begin with
 * the byte 0x42. It returns (calldata[100] == 0x42) × 0x1626ba7e << 224.
 */
const CODE = '0x60643560f81c604214631626ba7e60e01b0260005260206000f3'
const ADDRESS = '0x00000000000000000000000000000000000c0de1'
/** 130 bytes, like the signatures of two owners. */
const signatureOf = (byte: string): Hex => `0x${byte}${'00'.repeat(129)}`

/** A contract that reverts every call. */
const REVERTING_CODE = '0x60006000fd'

/** The nodes of a chain with these names, which are all the same node behind its proxy. */
const nodesOf = ({ chainId, proxyUrl }: Chain, ...names: string[]) => ({
  chainId,
  rpcUrls: names.map((name) => `${proxyUrl}/${name}`),
  callsPerBatch: 20,
  callsPerSecond: 1000,
})

it('accepts a signature that the contract accepts, and rejects another', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, CODE)
  const { chainId, rpcUrl } = chain
  const [network] = Object.values(readSettings(env).NETWORKS)
  if (!network) throw new Error('no network is configured')
  const site = {
    PUBLIC_URL: 'https://marketplace.test',
    NETWORKS: { own: { ...network, chainId, rpcUrls: [rpcUrl] } },
  }
  const ctx = { db, settings: site, now: new Date() }
  const wallet = { address: ADDRESS, chainId: chain.chainId, purpose: 'sign-in' } as const
  const { message, secret } = await createWalletMessage(ctx, wallet)
  const signed = { message, secret, purpose: 'sign-in' } as const
  const proof = await verifyWalletMessage(ctx, { ...signed, signature: signatureOf('42') })
  expect(proof).toMatchObject({ method: 'wallet', walletChainId: chainId })
  await expect(
    verifyWalletMessage(ctx, { ...signed, signature: signatureOf('43') }),
  ).rejects.toThrow('does not match the wallet')
})

it('rejects a signature if the contract reverts, or that of another key without a contract', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, REVERTING_CODE)
  expect(await isSignedByContract(nodesOf(chain, 'node'), signed)).toBe(false)
  const message = 'hello'
  const signature = await aWallet().signMessage({ message })
  const ofAnother = { address: aWallet().address, message, signature }
  expect(await isSignedByContract(nodesOf(chain, 'node'), ofAnother)).toBe(false)
})

const signed = { address: ADDRESS, message: 'hello', signature: signatureOf('42') } as const

/** Nodes that cannot be asked. The last one allows no calls at all. */
const failures: Effect[] = [
  { http: 'drop', reach: 'none' },
  { http: 'hang', reach: 'none' },
  { error: { code: -32603, message: 'internal error' }, reach: 'none' },
  { http: 429, reach: 'none', retryAfter: 60 },
]

it('asks a second node if the first does not respond or fails, and throws without one', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, CODE)
  for (const effect of failures) {
    await chain.setFaults({ node: 'first', effect })
    const alone = isSignedByContract(nodesOf(chain, 'first'), signed)
    await expect(alone).rejects.toMatchObject({ code: 'chain_unavailable' })
    const nodes = nodesOf(chain, 'first', 'second')
    expect(await isSignedByContract(nodes, signed)).toBe(true)
    expect(await isSignedByContract(nodes, { ...signed, signature: signatureOf('43') })).toBe(false)
  }
})

const yes = {
  on: ['eth_call'],
  effect: { result: padHex('0x1626ba7e', { dir: 'right', size: 32 }) },
} as const
const no = { on: ['eth_call'], effect: { result: padHex('0x', { size: 32 }) } } as const

it('rejects the signature if one node accepts it and another does not, whichever is first', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, REVERTING_CODE)
  for (const liar of ['first', 'second']) {
    await chain.setFaults({ node: liar, ...yes })
    expect(await isSignedByContract(nodesOf(chain, 'first', 'second'), signed)).toBe(false)
  }
  expect(logged('nodes_disagree')).toEqual([
    { chainId: chain.chainId, kind: 'is_proven', answers: [true, false] },
    { chainId: chain.chainId, kind: 'is_proven', answers: [false, true] },
  ])
})

it('asks a node that is left out, so that one that lies cannot answer alone', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, REVERTING_CODE)
  const nodes = nodesOf(chain, 'honest', 'liar')
  const [network] = Object.values(readSettings(env).NETWORKS)
  const [honest] = stepNodes(nodes)
  if (!network || !honest) throw new Error('no network is configured')
  leaveOut(network, honest, 'it lags')
  expect(stepNodes(nodes).map(({ index }) => index)).toEqual([1, 0])
  await chain.setFaults({ node: 'honest', ...no }, { node: 'liar', ...yes })
  expect(await isSignedByContract(nodes, signed)).toBe(false)
})

it('does not let the call of a factory change a wallet that is deployed (EIP-6492)', async () => {
  const chain = await aChain()
  // Any call makes it accept all signatures, but that of `isValidSignature`.
  const open = `0x60003560e01c631626ba7e146015576001600055005b600054631626ba7e60e01b0260005260206000f3`
  await chain.rpc('anvil_setCode', ADDRESS, open)
  const signature = serializeErc6492Signature({
    ...{ address: ADDRESS, data: '0x12345678' },
    signature: signatureOf('42'),
  })
  const wrapped = { ...signed, signature }
  expect(await isSignedByContract(nodesOf(chain, 'node'), wrapped)).toBe(false)
  await chain.rpc('anvil_setCode', ADDRESS, CODE)
  expect(await isSignedByContract(nodesOf(chain, 'node'), wrapped)).toBe(true)
})

const paths = { 'sign-in': '/sign-in/wallet', link: '/settings/account/wallet' }

/** Sends a message that the contract on this chain accepts. */
async function proveContract(
  visitor: Visitor,
  chain: Chain,
  address: Hex = ADDRESS,
  purpose: keyof typeof paths = 'sign-in',
  code: Hex | null = CODE,
) {
  if (code) await chain.rpc('anvil_setCode', address, code)
  const bindings = { env: { NETWORKS: networksOf([chain]) } as never }
  const request = { address, chainId: chain.chainId, purpose }
  const { message } = await answerOf(visitor.postJson('/sign-in/wallet/message', request, bindings))
  return visitor.postJson(paths[purpose], { message, signature: signatureOf('42') }, bindings)
}

async function signInAsContract(chain: Chain, address?: Hex) {
  const signedIn = proveContract(aVisitor(), chain, address)
  const { status, userId } = await answerOf<{ userId: number }>(signedIn)
  expect(status).toBe(200)
  return userId
}

/** An order on this chain for an address that nobody has proved. */
async function aGuest(address: Hex, { chainId: walletChainId }: Chain) {
  const { token, input } = await aShop()
  const { buyerUserId: _, ...rest } = input
  const to = { ...rest, buyer: { wallet: address }, buyerBillingData: billingData }
  const [{ id: orderId, buyerId: id } = { id: 0, buyerId: 0 }] = await placed(token, [to])
  await setRow(users, id, { walletChainId })
  return { id, orderId }
}

async function ordersSeenBy(visitor: Visitor): Promise<number[]> {
  const headers = { cookie: `token=${visitor.cookies.get('token')}` }
  const list = await answerOf<{ orders: { id: number }[] }>(
    call('GET', '/api/externalOrders', { headers }),
  )
  return list.orders.map(({ id }) => id)
}

async function aVisitorWithoutWallet() {
  const user = await aUser({ ethereumPublicAddr: '' })
  const visitor = aVisitor(await aSession(user))
  return { user, visitor }
}

it('is another account on another chain, because anybody may own the address there', async () => {
  const [first, second] = [await aChain(), await aChain()]
  const owner = await signInAsContract(first)
  const attacker = await signInAsContract(second)
  expect(attacker).not.toBe(owner)
  expect(await signInAsContract(first)).toBe(owner)
  expect(await signInAsContract(second)).toBe(attacker)
  const ethereumPublicAddr = getAddress(ADDRESS)
  for (const [id, { chainId }] of [
    [owner, first],
    [attacker, second],
  ] as const)
    expect(await findRow(users, id)).toMatchObject({
      ethereumPublicAddr,
      walletChainId: chainId,
      identityHash: hashIdentity('wallet', `${chainId}:${ethereumPublicAddr}`),
    })
})

it('gets what was ordered for its address on its chain, with the account that the order has made', async () => {
  const [chain, other] = [await aChain(), await aChain()]
  const { address } = aWallet()
  const [guest, elsewhere] = [await aGuest(address, chain), await aGuest(address, other)]
  const visitor = aVisitor()
  expect(await answerOf(proveContract(visitor, chain, address))).toMatchObject({ userId: guest.id })
  expect(await ordersSeenBy(visitor)).toEqual([guest.orderId])
  const { visitor: linking, user } = await aVisitorWithoutWallet()
  expect((await proveContract(linking, other, address, 'link')).status).toBe(200)
  expect(await ordersSeenBy(linking)).toEqual([elsewhere.orderId])
  expect(await findRow(users, user.id)).toMatchObject({ walletChainId: other.chainId })
})

it.each(['before', 'after'])(
  'is the account of a guest whom a shop has named, also %s it is deployed (EIP-6492)',
  async (when) => {
    const chain = await aChain()
    const wallet = await anUndeployedWallet(chain)
    const guest = await aGuest(wallet.address, chain)
    if (when === 'after') await deploy(chain, wallet)
    const visitor = aVisitor()
    expect(await answerOf(proveWallet(visitor, chain, wallet))).toMatchObject({ userId: guest.id })
    expect(await ordersSeenBy(visitor)).toEqual([guest.orderId])
  },
)

it('is not the account of the key that lets a contract act for it on this chain (EIP-7702), which signs itself', async () => {
  const chain = await aChain()
  const wallet = aWallet()
  await chain.rpc('anvil_setCode', ADDRESS, CODE)
  await chain.rpc('anvil_setCode', wallet.address, `0xef0100${ADDRESS.slice(2)}`)
  const { userId } = await (await signInByWallet(aVisitor(), wallet)).json<{ userId: number }>()
  expect(await findRow(users, userId)).toMatchObject({ walletChainId: 0 })
  const byContract = await proveContract(aVisitor(), chain, wallet.address, 'sign-in', null)
  expect(await answerOf(Promise.resolve(byContract))).not.toMatchObject({ userId })
})

it('signs in although the account of its address on another chain is closed', async () => {
  const chain = await aChain()
  const { address } = aWallet()
  await aUser({ ethereumPublicAddr: address, removedAt: '2026-01-01T00:00:00.000Z' })
  const userId = await signInAsContract(chain, address)
  await setRow(users, userId, { removedAt: '2026-01-01T00:00:00.000Z' })
  expect((await proveContract(aVisitor(), chain, address)).status).toBe(403)
})
