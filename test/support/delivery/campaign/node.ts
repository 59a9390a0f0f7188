/** What happens to the chain and its nodes. */
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import type { Fault } from '../../chain/faults.ts'
import { ignored } from './contract.ts'
import type { World } from './world.ts'

const ETHER = 10n ** 18n
export const GWEI = 10n ** 9n

const hex = (value: bigint) => `0x${value.toString(16)}`

export async function storm({ chain, dice }: World): Promise<void> {
  const rate = dice.pick(0.02, 0.05, 0.2, 0.5)
  await chain.setRandomFaults({ seed: dice.upTo(2 ** 31), rate })
}

/** Simulates a fault of one node, or of all. */
export const fault = ({ chain, dice }: World, fault: Fault) =>
  chain.setFaults({ ...fault, ...(dice.chance(0.5) && { node: '0' }) })

/** A fault of one node while there is another one. */
export async function faultOfOne({ chain, dice, nodes }: World, fault: Fault): Promise<void> {
  if (nodes === 2) await chain.setFaults({ ...fault, node: dice.pick('0', '1') })
}

export async function freeze(world: World): Promise<void> {
  const asOf = Number(await world.chain.rpc('eth_blockNumber'))
  await fault(world, { effect: { asOf } })
}

/** Replaces the newest blocks with empty ones. Their transactions are gone. */
export async function reorganize(chain: Chain, depth: number): Promise<void> {
  await chain.rpc('anvil_reorg', depth, [])
  // Later transactions of the owner and the seller would wait for those that are gone.
  for (const address of [chain.owner, chain.seller])
    await chain.rpc('anvil_removePoolTransactions', address)
}

/** Of the next block, in wei. */
export const setBaseFee = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(wei))

export const setBalances = ({ signer, otherSigner, rpc }: Chain, wei: bigint) =>
  Promise.all([signer, otherSigner].map((address) => rpc('anvil_setBalance', address, hex(wei))))

/** Enough for everything. */
export const fund = (chain: Chain) => setBalances(chain, 1000n * ETHER)

/**
 * Sends a transaction of a signer at the next nonce of the chain: the node holds the keys as well.
 * Returns its hash; null if the node refuses it, because it has one at this nonce with such fees.
 */
export async function useNonce({ chain, dice }: World, call: object = {}): Promise<string | null> {
  const from = dice.pick(chain.signer, chain.otherSigner)
  await fund(chain)
  const nonce = await chain.rpc('eth_getTransactionCount', from, 'latest')
  const fees = { maxFeePerGas: hex(500n * GWEI), maxPriorityFeePerGas: hex(400n * GWEI) }
  const gift = { from, to: chain.seller, value: '0x0', gas: '0x5208', nonce, ...fees, ...call }
  return chain.rpc('eth_sendTransaction', gift).then(String, () => null)
}

const hookAbi = parseAbi(['function setAnswer(uint8 answer)'])

/** By number, as in `enum Answer` of test/contracts/fixtures. */
const ANSWER = { accepts: 0, 'burns all gas': 2 } as const

/** A recipient or a token with code burns all gas, or accepts everything. */
const setAnswer = ({ chain }: World, to: Address, does: 'accepts' | 'burns all gas') => {
  const data = encodeFunctionData({ abi: hookAbi, args: [ANSWER[does]] })
  return ignored(chain.rpc('eth_sendTransaction', { from: chain.seller, to, data }))
}

export async function burnGas(world: World): Promise<void> {
  const [first, ...others] = world.fickle
  if (first) await setAnswer(world, world.dice.pick(first, ...others), 'burns all gas')
}

export async function acceptAgain(world: World): Promise<void> {
  for (const address of world.fickle) await setAnswer(world, address, 'accepts')
}
