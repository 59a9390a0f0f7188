/** What happens around the Worker: to the chain, the node, the contracts, the keys, the database. */
import { pass } from '../clock.ts'
import { restoreBackup, takeBackup } from './backup.ts'
import {
  addRelayers,
  ignored,
  limitRelayer,
  limitToken,
  removeRelayer,
  replaceContract,
  replaceRetired,
  revertAll,
  setApproval,
  setMinter,
  setPaused,
  unlimitTokens,
} from './contract.ts'
import {
  acceptAgain,
  burnGas,
  fault,
  faultOfOne,
  freeze,
  fund,
  GWEI,
  reorganize,
  setBalances,
  setBaseFee,
  storm,
  useNonce,
} from './node.ts'
import { cancelOne, retryAll, writeOffOne } from './operator.ts'
import { finished, wakeOne } from './runs.ts'
import { linkWallet, repeatOrders } from './shop.ts'
import { repeatDelivery, steal, stealKey } from './thief.ts'
import { count, type World } from './world.ts'

/** The private keys of `chain.signer` and `chain.otherSigner`. */
const SIGNER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const OTHER_SIGNER = '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e'

/** The data of a call of `paused()`, and the answer that it is. */
const PAUSED = '5c975abb'
const YES = `0x${'1'.padStart(64, '0')}`

type Happening = (world: World) => unknown

/** What may happen in a round, and how likely it is. */
const happenings: Record<string, [chance: number, Happening]> = {
  blocks: [0.5, mineSome],
  'random faults of the node': [0.25, storm],
  'no faults of the node': [0.15, ({ chain }) => chain.setFaults()],
  'node is frozen': [0.04, freeze],
  'node has another chain': [
    0.02,
    (world) => fault(world, { on: ['eth_chainId'], effect: { result: '0x1' } }),
  ],
  'node has no receipts': [
    0.03,
    (world) => fault(world, { on: ['eth_getTransactionReceipt'], effect: { result: null } }),
  ],
  'node has no old logs': [
    0.03,
    (world) => fault(world, { on: ['eth_getLogs'], effect: { result: [] } }),
  ],
  'node says that the contract is paused': [
    0.03,
    (world) => fault(world, { on: ['eth_call'], containing: PAUSED, effect: { result: YES } }),
  ],
  'one node has receipts without logs': [0.06, (world) => faultOfOne(world, WITHOUT_LOGS)],
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
  'nonce used by somebody else': [0.04, (world) => useNonce(world)],
  'pieces stolen': [0.04, steal],
  'key of an order stolen': [0.03, stealKey],
  'delivery repeated by another relayer': [0.06, repeatDelivery],
  'keys rotated': [0.06, rotateKeys],
  'transactions revert as a whole': [0.05, revertAll],
  'contract paused': [0.03, (world) => setPaused(world, true)],
  'contract unpaused': [0.3, (world) => setPaused(world, false)],
  'contract retired': [0.02, replaceContract],
  'approval withdrawn': [0.03, (world) => ignored(setApproval(world, false))],
  'approval given': [0.2, (world) => ignored(setApproval(world, true))],
  'minter role revoked': [0.03, (world) => ignored(setMinter(world, false))],
  'minter role granted': [0.2, (world) => ignored(setMinter(world, true))],
  'relayer removed': [0.03, removeRelayer],
  'limit of a relayer lowered': [0.06, limitRelayer],
  'relayers added': [0.2, addRelayers],
  'limit of a token lowered': [0.06, limitToken],
  'limits of tokens raised': [0.2, unlimitTokens],
  'recipient or token burns gas': [0.1, burnGas],
  'recipients accept again': [0.15, acceptAgain],
  'wallet linked': [0.1, linkWallet],
  'orders repeated': [0.3, repeatOrders],
  'failed items retried': [0.06, retryAll],
  'item cancelled': [0.06, cancelOne],
  'item written off': [0.1, writeOffOne],
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

const WITHOUT_LOGS = { on: ['eth_getTransactionReceipt'], effect: { withoutLogs: true } } as const

/** Ends every fault. */
export async function heal(world: World): Promise<void> {
  const { chain, market, stalls } = world
  await chain.setFaults()
  await fund(chain)
  while (stalls.length > 0) await wakeOne(world)
  await setBaseFee(chain, GWEI)
  await replaceRetired(world)
  for (let times = 0; times < 2; times++) {
    await setBaseFee(chain, GWEI)
    await setPaused(world, false)
    await addRelayers(world)
    await unlimitTokens(world)
    await acceptAgain(world)
    await ignored(setApproval(world, true))
    await ignored(setMinter(world, true))
    await market.mine()
  }
  await setApproval(world, true)
  await setBaseFee(chain, GWEI)
}

async function mineSome({ market, dice }: World): Promise<void> {
  for (let blocks = 1 + dice.upTo(3); blocks > 0; blocks--) await market.mine()
}

function rotateKeys({ market, dice }: World): void {
  const keys = dice.pick(SIGNER, OTHER_SIGNER, `${SIGNER},${OTHER_SIGNER}`)
  market.configure({ keys })
}
