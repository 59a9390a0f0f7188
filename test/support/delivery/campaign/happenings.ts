/** What happens around the Worker: to the chain, the node, the contracts, the keys, the database. */
import type { Chain } from '../../chain/chain.ts'
import type { Effect } from '../../chain/faults.ts'
import { pass } from '../clock.ts'
import { restoreBackup, takeBackup } from './backup.ts'
import { cancelOne, retryAll } from './operator.ts'
import { finished, wakeOne } from './runs.ts'
import { linkWallet, repeatOrders } from './shop.ts'
import { count, type World } from './world.ts'

const ETHER = 10n ** 18n
const GWEI = 10n ** 9n

/** Blocks that a reorganization takes back at most. */
export const MAX_DEPTH = 12

/** Items in a day. */
const NO_LIMIT = 2 ** 32 - 1

/** The private keys of `chain.signer` and `chain.otherSigner`. */
const SIGNER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const OTHER_SIGNER = '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e'

type Happening = (world: World) => unknown

/** What may happen in a round, and how likely it is. */
const happenings: Record<string, [chance: number, Happening]> = {
  blocks: [0.5, mineSome],
  'random faults of the node': [0.25, storm],
  'no faults of the node': [0.15, ({ chain }) => chain.setFaults()],
  'node is frozen': [0.04, freeze],
  'node has another chain': [0.02, (world) => fault(world, { result: '0x1' }, ['eth_chainId'])],
  'node has no receipts': [
    0.03,
    (world) => fault(world, { result: null }, ['eth_getTransactionReceipt']),
  ],
  'node takes small batches only': [
    0.04,
    ({ chain }) => chain.setFaults({ above: 3, effect: { http: 413, reach: 'none' } }),
  ],
  reorganization: [0.1, ({ chain, dice }) => reorganize(chain, 1 + dice.upTo(3))],
  'deep reorganization': [0.05, ({ chain, dice }) => reorganize(chain, 4 + dice.upTo(9))],
  'transactions dropped': [0.1, ({ chain }) => chain.rpc('anvil_dropAllTransactions')],
  'fee spike': [0.1, ({ chain, dice }) => setBaseFee(chain, dice.pick(2n, 20n, 60n, 150n) * GWEI)],
  'funds gone': [0.05, ({ chain }) => setBalances(chain, 0n)],
  'funds back': [0.3, ({ chain }) => fund(chain)],
  'nonce used by somebody else': [0.04, useNonce],
  'keys rotated': [0.06, rotateKeys],
  'contract paused': [0.03, ({ chain }) => ignored(chain.asOwner('pause'))],
  'contract unpaused': [0.3, ({ chain }) => ignored(chain.asOwner('unpause'))],
  'approval withdrawn': [0.03, ({ chain }) => ignored(approve(chain, false))],
  'approval given': [0.2, ({ chain }) => ignored(approve(chain, true))],
  'relayer removed': [0.03, ({ chain }) => ignored(chain.asOwner('setRelayer', chain.signer, 0))],
  'relayers added': [0.2, ({ chain }) => addRelayers(chain)],
  'wallet linked': [0.1, linkWallet],
  'orders repeated': [0.3, repeatOrders],
  'failed items retried': [0.06, retryAll],
  'item cancelled': [0.06, cancelOne],
  'backup taken': [0.12, takeBackup],
  'backup restored': [0.03, restoreBackup],
  'two hours pass': [0.03, () => pass(7200)],
  'a run goes on': [0.3, wakeOne],
  'cron run': [0.3, (world) => finished(world, (mishap) => world.market.runCron(mishap))],
}

/** One round. */
export async function happen(world: World): Promise<void> {
  for (const [name, [chance, act]] of Object.entries(happenings)) {
    if (!world.dice.chance(chance)) continue
    count(world, name)
    await act(world)
  }
}

/** Ends every fault. */
export async function heal(world: World): Promise<void> {
  const { chain, market, stalls } = world
  await chain.setFaults()
  await fund(chain)
  while (stalls.length > 0) await wakeOne(world)
  for (let times = 0; times < 2; times++) {
    await setBaseFee(chain, GWEI)
    await ignored(chain.asOwner('unpause'))
    await addRelayers(chain)
    await ignored(approve(chain, true))
    await market.mine()
  }
  await approve(chain, true)
  await setBaseFee(chain, GWEI)
}

/** The node refuses what would fail, such as pausing a paused contract. */
const ignored = (call: Promise<void>): Promise<void> => call.catch(() => {})

async function mineSome({ market, dice }: World): Promise<void> {
  for (let blocks = 1 + dice.upTo(3); blocks > 0; blocks--) await market.mine()
}

async function storm({ chain, dice }: World): Promise<void> {
  const rate = dice.pick(0.02, 0.05, 0.2, 0.5)
  await chain.setRandomFaults({ seed: dice.upTo(2 ** 31), rate })
}

/** Simulates a fault of one node, or of all. */
const fault = ({ chain, dice }: World, effect: Effect, on?: string[]) =>
  chain.setFaults({ effect, ...(on && { on }), ...(dice.chance(0.5) && { node: '0' }) })

async function freeze(world: World): Promise<void> {
  await fault(world, { asOf: Number(await world.chain.rpc('eth_blockNumber')) })
}

/** Replaces the newest blocks with empty ones. Their transactions are gone. */
async function reorganize(chain: Chain, depth: number): Promise<void> {
  await chain.rpc('anvil_reorg', depth, [])
  // Later transactions of the owner and the seller would wait for those that are gone.
  for (const address of [chain.owner, chain.seller])
    await chain.rpc('anvil_removePoolTransactions', address)
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Of the next block, in wei. */
const setBaseFee = (chain: Chain, wei: bigint) =>
  chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(wei))

const setBalances = ({ signer, otherSigner, rpc }: Chain, wei: bigint) =>
  Promise.all([signer, otherSigner].map((address) => rpc('anvil_setBalance', address, hex(wei))))

/** Enough for everything. */
const fund = (chain: Chain) => setBalances(chain, 1000n * ETHER)

/** The node holds the key as well, so it sends a transaction of the signer. */
async function useNonce({ chain, dice }: World): Promise<void> {
  const from = dice.pick(chain.signer, chain.otherSigner)
  await fund(chain)
  const nonce = await chain.rpc('eth_getTransactionCount', from, 'latest')
  const fees = { maxFeePerGas: hex(500n * GWEI), maxPriorityFeePerGas: hex(400n * GWEI) }
  const gift = { from, to: chain.seller, value: '0x0', gas: '0x5208', nonce, ...fees }
  // If the node has a transaction at this nonce with such fees, it refuses.
  await chain.rpc('eth_sendTransaction', gift).catch(() => {})
}

function rotateKeys({ market, dice }: World): void {
  const keys = dice.pick(SIGNER, OTHER_SIGNER, `${SIGNER},${OTHER_SIGNER}`)
  market.configure({ keys })
}

async function approve(chain: Chain, isApproved: boolean): Promise<void> {
  await chain.erc721AsSeller('setApprovalForAll', chain.delivery, isApproved)
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, isApproved)
}

async function addRelayers(chain: Chain): Promise<void> {
  await ignored(chain.asOwner('setRelayer', chain.signer, NO_LIMIT))
  await ignored(chain.asOwner('setRelayer', chain.otherSigner, NO_LIMIT))
}
