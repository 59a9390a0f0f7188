/**
 * Stories about what is not final: what one node says of itself, and the other one contradicts. By what
 * it wants: to accuse, to have calls signed again, to stop deliveries, to stop sales.
 */
import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  keccak256,
  toFunctionSelector,
} from 'viem'
import { deliveryAbi as abi } from '../../../../contracts/delivery-abi.ts'
import { trialAbi } from '../../../../contracts/trial.ts'
import { hashContent } from '../../../../src/ethereum/contract.ts'
import { type Call, nameOf } from './calls.ts'
import {
  ahead,
  both,
  calls,
  changeRecords,
  changeWords,
  fail,
  failureOf,
  hex,
  isBroadcast,
  lagging,
  NO,
  numberOf,
  rawOf,
  revert,
  type Scene,
  type Story,
} from './story.ts'
import { Refusal } from './values.ts'

type Teller = (scene: Scene) => Story

const all = (first: Teller, ...others: Teller[]): Teller => others.reduce(both, first)

export const unused = calls(['eth_call records'], (result, _, call) =>
  changeRecords(call, result, () => ({ blockNumber: 0n, contentHash: `0x${'0'.repeat(48)}` })),
)
export const used: Teller = (scene) => ({
  change: (call, result) =>
    nameOf(call) === 'eth_call records'
      ? changeRecords(call, result, (key, record) => {
          const item = scene.calls.get(key)
          return item ? { blockNumber: 1n, contentHash: hashContent(item) } : record
        })
      : result,
})

const isSimulation = (call: Call) => nameOf(call) === 'eth_call deliver'

/** By the numbers of `Delivery.Outcome`. */
const [NOT_REACHED, DELIVERED, , FAILED, CANCELLED] = [0, 1, 2, 3, 4] as const
type Result = { outcome: number; gasUsed: bigint; reason: Hex }

/** What a simulation says of each item, whatever the contract would do. */
const simulated =
  (resultOf: (isCancellation: boolean) => Result): Teller =>
  () => ({
    forward: (call) => (isSimulation(call) ? null : call),
    change: (call, result) => {
      if (!isSimulation(call)) return result
      const data: Hex = Object(call.params?.[0]).data
      const { functionName, args } = decodeFunctionData({ abi, data })
      if (functionName !== 'deliver') return result
      const results = args[0].map(({ token }) => resultOf(BigInt(token) === 0n))
      return encodeFunctionResult({ abi, functionName: 'deliver', result: results })
    },
  })
const accepted = (gasUsed: bigint) =>
  simulated((isCancellation) => ({
    outcome: isCancellation ? CANCELLED : DELIVERED,
    gasUsed,
    reason: '0x',
  }))
const accepting = accepted(60_000n)
const refused = (outcome: number, gasUsed = 0n) =>
  simulated(() => ({ outcome, gasUsed, reason: '0x' }))

/** What the contract says of an item whose token has no code. */
const noCode: Result = {
  outcome: FAILED,
  gasUsed: 0n,
  reason: toFunctionSelector('TokenHasNoCode()'),
}

/** Another reason for items that fail. */
const renamed = (reason: Result) =>
  calls(['eth_call deliver'], (result) => {
    const data = `${result}` as Hex
    const results = decodeFunctionResult({ abi, functionName: 'deliver', data }).map((one) =>
      one.outcome === FAILED ? reason : one,
    )
    return encodeFunctionResult({ abi, functionName: 'deliver', result: results })
  })

/** Changes the receipts of mined transactions, and has none of their events otherwise. */
const receipts =
  (change: (fields: Record<string, unknown>, scene: Scene) => unknown): Teller =>
  (scene) => ({
    change: ({ method }, result) => {
      if (method === 'eth_getLogs') return []
      return method === 'eth_getTransactionReceipt' && result
        ? change(Object(result), scene)
        : result
    },
  })

/** Failures of the transfers that succeeded. */
const failing = (gasUsed: bigint) =>
  receipts((fields, scene) => ({
    ...fields,
    logs: [fields.logs].flat().flatMap((log) => {
      const item = scene.calls.get(`${Object(log).topics?.[1]}`)
      return item ? failureOf(item, scene, gasUsed) : []
    }),
  }))
const [delivered] = encodeEventTopics({ abi, eventName: 'Delivered' })

/** The tokens of each delivery came from somebody else. */
const fromAnother: Teller = () => ({
  change: ({ method }, result) => {
    if (method !== 'eth_getTransactionReceipt' || !result) return result
    const fields = Object(result)
    const logs = [fields.logs]
      .flat()
      .map((log) =>
        Object(log).topics?.[0] === delivered
          ? { ...Object(log), data: changeWords(Object(log).data, { 0: () => 7n }) }
          : log,
      )
    return { ...fields, logs }
  },
})
const eventless = receipts((fields) => ({ ...fields, logs: [] }))
const reverted = receipts((fields) => ({ ...fields, status: '0x0', logs: [] }))
const hidden = receipts(() => null)

/** Changes what is told of every block. */
const blocks =
  (change: (fields: Record<string, unknown>, scene: Scene) => Record<string, unknown>): Teller =>
  (scene) => ({
    change: ({ method }, result) =>
      method === 'eth_getBlockByNumber' && result ? change(Object(result), scene) : result,
  })

/** The newest block always has the number of the one in which the lie began. */
const oneNumber: Teller = ({ height }) => ({
  change: ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && params?.[0] === 'latest'
      ? { ...Object(result), number: hex(height) }
      : result,
})

/** The final block is another one. Where it is a number of blocks below the newest one, that is true. */
const final =
  (blockOf: (scene: Scene) => string): Teller =>
  (scene) => ({
    forward: (call) =>
      call.params?.[0] === 'finalized'
        ? { ...call, params: [blockOf(scene), ...call.params.slice(1)] }
        : call,
  })

const swallowing: Teller = () => ({
  forward: (call) => (isBroadcast(call) ? null : call),
  change: (call, result) => (isBroadcast(call) ? keccak256(rawOf(call)) : result),
})

/** The error of some calls. */
const refusing =
  (isRefused: (call: Call) => boolean, error: Refusal = fail): Teller =>
  () => ({ change: (call, result) => (isRefused(call) ? error : result) })
const limit = new Refusal({ code: -32005, message: 'limit exceeded' })

/** Whatever has used a key, it was another transaction. */
const madeUp =
  (hasReceipts: boolean): Teller =>
  () => {
    const truths = new Map<string, Hex>()
    const fields = {
      eth_getTransactionReceipt: 'transactionHash',
      eth_getTransactionByHash: 'hash',
    }
    const fieldOf = ({ method }: Call) =>
      Object.entries(fields).find(([name]) => name === method)?.[1]
    return {
      forward: (call) => {
        const truth = truths.get(`${call.params?.[0]}`)
        return fieldOf(call) && truth ? { ...call, params: [truth] } : call
      },
      change: (call, result) => {
        if (call.method === 'eth_getLogs')
          return [result].flat().map((log) => {
            const truth: Hex = Object(log).transactionHash
            const transactionHash = keccak256(truth)
            truths.set(transactionHash, truth)
            return { ...Object(log), transactionHash }
          })
        const field = fieldOf(call)
        if (!field) return result
        const [asked] = call.params ?? []
        return hasReceipts && result && truths.has(`${asked}`)
          ? { ...Object(result), [field]: asked }
          : null
      },
    }
  }

/** Whatever has used a key, it was the first transaction of the chain, which all nodes have. */
const first: Teller = ({ ask }) => {
  let hash: unknown
  return {
    forward: async (call) => {
      hash ??= Object(await ask('eth_getBlockByNumber', '0x1', false)).transactions[0]
      return call
    },
    change: ({ method }, result) =>
      method === 'eth_getLogs'
        ? [result].flat().map((log) => ({ ...Object(log), transactionHash: hash }))
        : result,
  }
}
const isOdd = ({ id }: Call) => id % 2 === 1

const answering =
  (method: string, result: unknown): Teller =>
  () => ({
    change: (call, truth) => (call.method === method ? result : truth),
  })

/** The words of a limit: whether it is set, its capacity, what flows back in a day, what is left. */
const [, CAPACITY, , AVAILABLE] = [0, 1, 2, 3] as const
export const limited = (
  of: 'relayerLimit' | 'tokenLimit',
  { available, capacity }: { available: bigint; capacity?: bigint },
) =>
  calls([`eth_call ${of}`], (result) =>
    changeWords(result, {
      [AVAILABLE]: () => available,
      ...(capacity !== undefined && { [CAPACITY]: () => capacity }),
    }),
  )

const untransferable = all(
  calls(['eth_call trial'], () =>
    encodeFunctionResult({
      abi: trialAbi,
      functionName: 'run',
      result: { isTold: true, isAccepted: false, isExact: false, gasUsed: 30_000n, reason: '0x' },
    }),
  ),
  calls(['eth_call of a token'], () => revert),
  refused(FAILED, 30_000n),
)

/** Tells the story in every second request. */
const everySecond =
  (story: (isNow: () => boolean) => Teller): Teller =>
  (scene) => {
    let requests = 0
    const told = story(() => requests % 2 === 1)(scene)
    return {
      forward: (call) => {
        // The calls of a request count from 0.
        if (call.id === 0) requests++
        return told.forward ? told.forward(call) : call
      },
      change: (call, result) => (told.change ? told.change(call, result) : result),
    }
  }

export const claims = {
  // Accuses the honest node.
  'says that the contract is not paused, and that every transfer succeeds': all(
    calls(['eth_call paused'], () => NO),
    accepting,
  ),
  'says that every transfer succeeds': accepting,
  'is 63 blocks ahead, and its records are': all(
    ahead(63, 60),
    calls(['eth_call records'], (result) => changeWords(result, { 0: (block) => block + 63n })),
  ),

  // Has calls signed again.
  'says that no key is used, and that every transfer succeeds': all(unused, accepting),
  'says that no key is used, and that every transaction reverted': all(unused, accepting, reverted),
  'says that no key is used, and that every transfer failed': all(
    unused,
    accepting,
    failing(30_000n),
  ),
  'says that every transfer failed': failing(30_000n),
  'hides events': eventless,
  'says that tokens came from another holder': fromAnother,
  'hides receipts and events': hidden,
  'says that every transaction reverted': reverted,
  'is a block behind, and an hour slow': all(
    (scene) => ({
      forward: async (call) =>
        call.method === 'eth_getBlockByNumber' && call.params?.[0] === 'latest'
          ? {
              ...call,
              params: [
                hex(numberOf(await scene.ask('eth_blockNumber')) - 1),
                ...call.params.slice(1),
              ],
            }
          : call,
    }),
    blocks(({ timestamp, ...fields }) => ({
      ...fields,
      timestamp: hex(Math.max(0, numberOf(timestamp) - 3575)),
    })),
  ),
  'says that transfers need no gas': all(accepted(0n), answering('eth_estimateGas', '0x5208')),
  'says that transfers need 10^7 gas': accepted(10n ** 7n),
  'says that every transfer succeeds, and hides receipts and events': all(accepting, hidden),
  'names the first transaction of the chain': first,
  'names made-up transactions, and has no receipts': madeUp(false),
  'names made-up transactions, and has receipts of them': madeUp(true),
  'says every second time that no key is used': everySecond((isNow) => (scene) => ({
    change: (call, result) => (isNow() ? unused(scene).change?.(call, result) : result),
  })),

  // Stops deliveries.
  'says that the signers have no funds': answering('eth_getBalance', '0x0'),
  'has a base fee of 10^6 gwei': blocks((fields) => ({
    ...fields,
    baseFeePerGas: hex(10n ** 15n),
  })),
  'has a base fee of 240 gwei': blocks((fields) => ({
    ...fields,
    baseFeePerGas: hex(240n * 10n ** 9n),
  })),
  'says that a relayer may deliver one piece at once': limited('relayerLimit', {
    available: 1n,
    capacity: 1n,
  }),
  'says that relayers have room for everything, but for one piece at once': limited(
    'relayerLimit',
    { available: 10n ** 9n, capacity: 1n },
  ),
  'says that tokens have reached their limits': limited('tokenLimit', { available: 0n }),
  'says that no call of the contract reaches an item': refused(NOT_REACHED),
  'says that no token has code': simulated(() => noCode),
  'says of what fails that its token has no code': renamed(noCode),
  'says that every transfer uses up its gas': refused(FAILED, 2n ** 40n),
  'says that calls of the contract revert': refusing(isSimulation, revert),
  'does not simulate': refusing(isSimulation),
  'says that calls need 2^60 gas': answering('eth_estimateGas', hex(2n ** 60n)),
  'says that nobody holds a token': all(
    untransferable,
    calls(['eth_call balanceOf', 'eth_call ownerOf'], () => NO),
  ),
  'says that nobody has approved the contract': all(
    untransferable,
    calls(['eth_call isApprovedForAll', 'eth_call hasRole'], () => NO),
  ),
  'has one block number for ever, with new times, and swallows transactions': all(
    oneNumber,
    swallowing,
  ),
  'lags three blocks': lagging(3),
  'answers every second request as of ten blocks ago': everySecond((isNow) => lagging(10, isNow)),

  // Moves the final block.
  'has the newest block as the final one': final(() => 'latest'),
  'has a final block that stands still': final(({ height }) => hex(height)),

  // Refuses a part.
  'fails every second call of a request': refusing(isOdd),
  'does not tell records': refusing((call) => nameOf(call) === 'eth_call records'),
  'does not tell receipts': refusing(({ method }) => method === 'eth_getTransactionReceipt'),
  'does not tell events': refusing(({ method }) => method === 'eth_getLogs'),
  'does not tell code': refusing(({ method }) => method === 'eth_getCode'),
  'takes no transactions': refusing(isBroadcast),
  'limits calls of contracts': refusing(({ method }) => method === 'eth_call', limit),
} satisfies Record<string, Teller>
