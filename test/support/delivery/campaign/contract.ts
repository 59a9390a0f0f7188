/** What happens to the Delivery contract and to those who may use it. */
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  isHex,
  zeroAddress,
} from 'viem'
import artifact from '../../../../contracts/Delivery.json' with { type: 'json' }
import { deliveryAbi } from '../../../../contracts/delivery-abi.ts'
import { MINTER_ROLE } from '../../../../scripts/local/chain/collectibles.ts'
import { deliveryCalls } from '../../chain/calls.ts'
import { AMPLE } from './sales.ts'
import { count, type World } from './world.ts'

/** Blocks that a reorganization takes back at most. */
export const MAX_DEPTH = 12

/** Contracts that a campaign uses at most. */
const MAX_CONTRACTS = 3

/** A limit that a few items use up, in pieces. No item has more. It refills in minutes. */
const LOW = { capacity: 12n, perDay: 20_000n }

/** The node refuses what would fail, such as pausing a paused contract. */
export const ignored = (call: Promise<unknown>): Promise<void> =>
  call.then(
    () => {},
    () => {},
  )

const abi = deliveryAbi

/** Calls the newest contract as its owner. */
const asOwner = ({ chain, contracts: [newest] }: World) =>
  deliveryCalls(chain.rpcUrl, chain.owner, newest)

export const setPaused = (world: World, isPaused: boolean): Promise<void> =>
  ignored(asOwner(world)(isPaused ? 'pause' : 'unpause'))

/** The seller lets the newest contract transfer tokens, or does not. */
export async function setApproval({ chain, contracts }: World, isApproved: boolean) {
  await chain.erc721AsSeller('setApprovalForAll', contracts[0], isApproved)
  await chain.erc1155AsSeller('setApprovalForAll', contracts[0], isApproved)
}

/** The seller lets the newest contract mint tokens, or does not. */
export async function setMinter({ chain, contracts }: World, isMinter: boolean) {
  const name = isMinter ? 'grantRole' : 'revokeRole'
  await chain.mintableAsSeller(name, MINTER_ROLE, contracts[0])
  await chain.erc1155AsSeller(name, MINTER_ROLE, contracts[0])
}

export async function addRelayers(world: World): Promise<void> {
  for (const relayer of [world.chain.signer, world.chain.otherSigner])
    await ignored(asOwner(world)('setRelayer', relayer, AMPLE, AMPLE))
}

export const removeRelayer = (world: World): Promise<void> =>
  ignored(asOwner(world)('setRelayer', world.chain.signer, 0n, 0n))

export const limitRelayer = (world: World): Promise<void> => {
  const relayer = world.dice.pick(world.chain.signer, world.chain.otherSigner)
  return ignored(asOwner(world)('setRelayer', relayer, LOW.capacity, LOW.perDay))
}

export const limitToken = (world: World): Promise<void> => {
  const { erc721, erc1155 } = world.chain.mintable
  const token = world.dice.pick(erc721, erc1155)
  return ignored(asOwner(world)('setTokenLimit', token, LOW.capacity, LOW.perDay))
}

export async function unlimitTokens(world: World): Promise<void> {
  for (const token of world.limited)
    await ignored(asOwner(world)('setTokenLimit', token, AMPLE, AMPLE))
}

const HIGH_FEES = { maxFeePerGas: '0x12309ce54000', maxPriorityFeePerGas: '0x1d1a94a2000' }

/** Sends a transaction that comes first in its block. */
const sendFirst = ({ chain }: World, call: { to?: Address; data: Hex }) =>
  chain.rpc('eth_sendTransaction', { from: chain.owner, ...HIGH_FEES, ...call })

/** Everything in the next block reverts as a whole, because the contract is paused for its time. */
export async function revertAll(world: World): Promise<void> {
  for (const functionName of ['pause', 'unpause'] as const) {
    const data = encodeFunctionData({ abi, functionName })
    await ignored(sendFirst(world, { to: world.contracts[0], data }))
    await world.market.mine()
  }
}

/** The contract is retired, and another one replaces it. */
export async function replaceContract(world: World): Promise<void> {
  if (world.contracts.length === MAX_CONTRACTS) return
  await ignored(asOwner(world)('retire'))
  await replaceRetired(world)
}

/**
 * If the newest contract is retired, deploys its successor and lets it do what the other one could.
 * An operator waits until no reorganization takes back a step.
 */
export async function replaceRetired(world: World): Promise<void> {
  const { chain, market, network, contracts } = world
  await bury(world)
  if (!(await isRetired(world))) return
  count(world, 'contract replaced')
  const relayers = [chain.signer, chain.otherSigner].map((relayer) => ({
    relayer,
    capacity: AMPLE,
    perDay: AMPLE,
  }))
  const { bytecode } = artifact
  if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
  const args = [contracts[0], 0n, zeroAddress, relayers] as const
  const sent = await sendFirst(world, { data: encodeDeployData({ abi, bytecode, args }) })
  let receipt: unknown = null
  for (let blocks = 0; receipt === null; blocks++) {
    if (blocks > 200) throw new Error('the successor is not mined')
    await market.mine()
    receipt = await chain.rpc('eth_getTransactionReceipt', sent)
  }
  contracts.unshift(getAddress(`${Object(receipt).contractAddress}`))
  await unlimitTokens(world)
  await setApproval(world, true)
  await setMinter(world, true)
  await bury(world)
  market.configure({ network: { ...network, delivery: contracts[0] } })
}

async function bury({ market }: World): Promise<void> {
  for (let blocks = 0; blocks <= MAX_DEPTH; blocks++) await market.mine()
}

async function isRetired({ chain, contracts: [to] }: World): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'retired' })
  return BigInt(`${await chain.rpc('eth_call', { to, data }, 'latest')}`) === 1n
}
