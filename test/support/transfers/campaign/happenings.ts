/** What happens around the Worker: to the chain, the node, the signer's funds and its key. */
import type { Chain } from '../../chain/chain.ts'
import { finished, wakeOne } from './runs.ts'
import { tell, type World } from './world.ts'

const ETHER = 10n ** 18n

type Happening = (world: World) => Promise<unknown>

/** What may happen in a round, and how likely it is. */
const happenings: Record<string, [chance: number, Happening]> = {
  blocks: [0.7, ({ chain, dice }) => chain.mine(1 + dice.upTo(3))],
  storm: [
    0.3,
    ({ chain, dice }) =>
      chain.setRandomFaults({ seed: dice.upTo(2 ** 31), rate: dice.pick(0, 0.05, 0.2, 0.5) }),
  ],
  reorganisation: [0.15, reorganise],
  'transactions forgotten': [0.1, ({ chain }) => chain.rpc('anvil_dropAllTransactions')],
  'fee spike': [
    0.1,
    ({ chain, dice }) => setBaseFee(chain, dice.pick(2n, 20n, 60n, 150n) * 10n ** 9n),
  ],
  'funds gone': [0.05, ({ chain }) => setBalance(chain, 0n)],
  'funds back': [0.3, ({ chain }) => fund(chain)],
  'nonce used from outside': [0.02, useNonce],
  'a run goes on': [0.3, wakeOne],
  'cron run': [0.3, (world) => finished(world, (mishap) => world.market.runCron(mishap))],
}

/** One round of it. */
export async function happen(world: World): Promise<void> {
  for (const [name, [chance, act]] of Object.entries(happenings)) {
    if (!world.dice.chance(chance)) continue
    tell(world, name)
    await act(world)
  }
}

/** Takes back blocks that no transfer may be judged by yet; what was in them is forgotten. */
async function reorganise({ chain, dice, confirmations }: World): Promise<void> {
  const depth = dice.upTo(confirmations)
  if (depth > 0) await chain.rpc('anvil_reorg', depth, [])
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Of the next block, in wei. */
export const setBaseFee = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(wei))

const setBalance = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setBalance', chain.signer, hex(wei))

/** Enough for everything. */
export const fund = (chain: Chain) => setBalance(chain, 1000n * ETHER)

/** The node holds the signer's key as well. */
async function useNonce({ chain, foreign }: World): Promise<void> {
  const gift = { from: chain.signer, to: chain.seller, value: '0x0', gas: '0x5208' }
  const fees = { maxFeePerGas: hex(500n * 10n ** 9n), maxPriorityFeePerGas: hex(10n ** 9n) }
  await fund(chain)
  const nonce = Number(await chain.rpc('eth_getTransactionCount', chain.signer, 'latest'))
  const hash = await chain.rpc('eth_sendTransaction', {
    ...gift,
    ...fees,
    nonce: hex(BigInt(nonce)),
  })
  if (typeof hash === 'string') foreign.push(nonce)
}
