/** Lies in which several answers of a node agree, by what the node does. */
import { keccak256 } from 'viem'
import { hashContent } from '../../../../src/ethereum/contract.ts'
import { nameOf } from './calls.ts'
import { claims } from './claims.ts'
import {
  ahead,
  BEYOND,
  both,
  calls,
  changeRecords,
  counts,
  emptyData,
  eventsOf,
  fail,
  failureOf,
  fork,
  frozen,
  hex,
  isBlockCall,
  isBroadcast,
  mined,
  NO,
  ofAnother,
  rawOf,
  receiptsOf,
  revert,
  type Scene,
  type Story,
  withTransfers,
  YES,
} from './story.ts'

export const stories = {
  ...claims,
  'swallows transactions, and has a receipt of each, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
  }),
  'swallows a transaction, and has a receipt of it, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
    most: 1,
  }),
  'swallows a transaction, and has a receipt of it that failed': receiptsOf({
    status: '0x0',
    logs: () => [],
    most: 1,
  }),
  'swallows three transactions, and has a receipt of each, without events': receiptsOf({
    status: '0x1',
    logs: () => [],
    most: 3,
  }),
  'swallows transactions, and has a receipt of each that failed': receiptsOf({
    status: '0x0',
    logs: () => [],
  }),
  'swallows transactions, and has a receipt of each with all events': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
  }),
  'swallows transactions, and has receipts, events and records of them': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
    hasRecords: true,
  }),
  'swallows transactions, and has receipts in which all transfers failed': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.map((item) => failureOf(item, scene, 30_000n)),
  }),
  'swallows transactions, and has receipts in which all gas was used up': receiptsOf({
    status: '0x1',
    logs: (items, scene) => items.map((item) => failureOf(item, scene, 2n ** 40n)),
  }),
  'has made-up receipts of transactions that failed, and mines them': receiptsOf({
    status: '0x0',
    logs: () => [],
    isSwallowed: false,
  }),
  'has made-up receipts without events, and mines the transactions': receiptsOf({
    status: '0x1',
    logs: () => [],
    isSwallowed: false,
  }),
  'swallows transactions': () => ({
    forward: (call) => (isBroadcast(call) ? null : call),
    change: (call, result) => (isBroadcast(call) ? keccak256(rawOf(call)) : result),
  }),
  'has fresh blocks and old state': frozen(
    (call) => !isBlockCall(call) && call.method !== 'eth_getTransactionReceipt',
  ),
  'has fresh blocks and old state, and no receipts of newer blocks': frozen(
    (call) => !isBlockCall(call),
  ),
  'has fresh blocks and receipts, and old counts of transactions': frozen(
    ({ method }) => method === 'eth_getTransactionCount',
  ),
  'has old records': frozen((call) => nameOf(call) === 'eth_call records'),
  'stands still': frozen(() => true),
  'is on another fork since the newest block': fork(0),
  'is on another fork since three blocks': fork(3),
  'is on another fork since 50 blocks': fork(50),
  'is a block ahead': ahead(1, 12),
  'is two blocks ahead': ahead(2, 24),
  'is a thousand blocks ahead': ahead(1000, 12_000),
  'is 2^31 blocks ahead': ahead(2 ** 31, 60),
  'is two hours and a thousand blocks ahead': ahead(1000, 7200),
  'is a month ahead': ahead(1000, 30 * 86_400),
  'counts a transaction more': counts((count) => count + 1),
  'counts five transactions more': counts((count) => count + 5),
  'counts 10^9 transactions more': counts((count) => count + 10 ** 9),
  'counts a transaction less': counts((count) => Math.max(0, count - 1)),
  'counts no transactions': counts(() => 0),
  'says that the contract is paused': calls(['eth_call paused'], () => YES),
  'says that the contract is retired': calls(['eth_call retired'], () => YES),
  'says that the signers are no relayers': calls(
    ['eth_call relayerLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that relayers have no room': calls(['eth_call relayerLimit'], (result) => {
    const list = `${result}`.slice(2).match(/.{64}/g) ?? []
    return `0x${list.map((old, i) => (i === 3 ? '0'.repeat(64) : old)).join('')}`
  }),
  'says that nothing may be minted': calls(
    ['eth_call tokenLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that tokens have no standard': calls(['eth_call supportsInterface'], () => NO),
  'says that tokens have both standards': calls(['eth_call supportsInterface'], () => YES),
  'says that tokens have the other standard': calls(['eth_call supportsInterface'], (result) =>
    result === YES ? NO : YES,
  ),
  'says that there is no code': (_) => ({
    change: ({ method }, result) => (method === 'eth_getCode' ? '0x' : result),
  }),
  'says that every account has code': (_) => ({
    change: ({ method }, result) => (method === 'eth_getCode' ? '0x00' : result),
  }),
  'says that every transfer fails': calls(['eth_call deliver'], (result) => {
    // The outcome of each item is followed by the gas, and by the reason as an offset.
    const list = `${result}`.slice(2).match(/.{64}/g) ?? []
    const count = Number(BigInt(`0x${list[1] ?? '0'}`))
    const at = new Set(
      list.slice(2, 2 + count).map((offset) => 2 + Number(BigInt(`0x${offset}`)) / 32),
    )
    return `0x${list.map((old, i) => (at.has(i) ? '3'.padStart(64, '0') : old)).join('')}`
  }),
  'says that every key is used up': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, () => ({ blockNumber: 1n, contentHash: `0x${'0'.repeat(48)}` })),
  ),
  'says that every key is used for its delivery': (scene) => ({
    change: (call, result) =>
      nameOf(call) === 'eth_call records'
        ? changeRecords(call, result, (key, record) => {
            const item = scene.calls.get(key)
            return item ? { blockNumber: 1n, contentHash: hashContent(item) } : record
          })
        : result,
  }),
  'says that no key is used': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, () => ({ blockNumber: 0n, contentHash: `0x${'0'.repeat(48)}` })),
  ),
  'has records in blocks to come': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, (_key, record) => ({ ...record, blockNumber: 2n ** 31n })),
  ),
  'has another contract as the predecessor': calls(
    ['eth_call predecessor'],
    (_, { addresses, draw }) =>
      `0x${(addresses[draw % addresses.length] ?? '').slice(2).padStart(64, '0')}`,
  ),
  'has the contract as its own predecessor': calls(
    ['eth_call predecessor'],
    (_, { delivery }) => `0x${delivery.slice(2).padStart(64, '0')}`,
  ),
  'has events of another contract': mined(ofAnother),
  'has events without data': mined(emptyData),
  'has the events of all transfers': mined((fields, scene) =>
    Array.isArray(fields.logs) ? { ...fields, logs: withTransfers(fields.logs, scene) } : fields,
  ),
  'has mined transactions in block 2^31': mined((fields) => ({
    ...fields,
    blockNumber: hex(BEYOND),
  })),
  'has mined transactions with the nonce 10^9': mined((fields) =>
    'nonce' in fields ? { ...fields, nonce: hex(10 ** 9) } : fields,
  ),
  'has mined transactions of another signer': mined((fields, { addresses, draw }) =>
    'from' in fields ? { ...fields, from: addresses[draw % addresses.length] } : fields,
  ),
  'has nothing': () => ({ change: () => null }),
  'answers every call with an error': () => ({ change: () => fail }),
  'says that every call reverts': () => ({
    change: ({ method }, result) =>
      method === 'eth_call' || method === 'eth_estimateGas' ? revert : result,
  }),
  'returns nothing from every call': () => ({
    change: ({ method }, result) => (method === 'eth_call' ? '0x' : result),
  }),
  'has no receipts and counts a transaction more': both(
    () => ({
      change: ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result),
    }),
    counts((count) => count + 1),
  ),
  'has no old events': () => ({
    change: ({ method }, result) => (method === 'eth_getLogs' ? [] : result),
  }),
  'is a month ahead and swallows transactions': both(ahead(1000, 30 * 86_400), () => ({
    forward: (call) => (isBroadcast(call) ? null : call),
    change: (call, result) => (isBroadcast(call) ? keccak256(rawOf(call)) : result),
  })),
} satisfies Record<string, (scene: Scene) => Story>

export type StoryName = keyof typeof stories
