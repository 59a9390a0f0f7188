/** Lies in which several answers of a node agree, by what the node does. */
import { claims, limited, unused, used } from './claims.ts'
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
  mined,
  NO,
  ofAnother,
  receiptsOf,
  type Scene,
  type Story,
  withTransfers,
  YES,
} from './story.ts'

export const stories = {
  ...claims,
  'swallows a transaction, and has a receipt of it, without events': receiptsOf({
    logs: () => [],
    most: 1,
  }),
  'swallows transactions, and has a receipt of each with all events': receiptsOf({
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
  }),
  'swallows transactions, and has receipts, events and records of them': receiptsOf({
    logs: (items, scene) => items.flatMap((item) => eventsOf(item, scene)),
    hasRecords: true,
  }),
  'swallows transactions, and has receipts in which all gas was used up': receiptsOf({
    logs: (items, scene) => items.map((item) => failureOf(item, scene, 2n ** 40n)),
  }),
  'has fresh blocks and old state': frozen(
    (call) => !isBlockCall(call) && call.method !== 'eth_getTransactionReceipt',
  ),
  'stands still': frozen(() => true),
  'is on another fork since 50 blocks': fork,
  'is a month ahead': ahead(1000, 30 * 86_400),
  'counts five transactions more': counts((count) => count + 5),
  'counts no transactions': counts(() => 0),
  'says that the contract is paused': calls(['eth_call paused'], () => YES),
  'says that the contract is retired': calls(['eth_call retired'], () => YES),
  'says that the signers are no relayers': calls(
    ['eth_call relayerLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that relayers have no room': limited('relayerLimit', { available: 0n }),
  'says that nothing may be minted': calls(
    ['eth_call tokenLimit'],
    () => `0x${'0'.repeat(64 * 7)}`,
  ),
  'says that tokens have no standard': calls(['eth_call supportsInterface'], () => NO),
  'says that tokens have the other standard': calls(['eth_call supportsInterface'], (result) =>
    result === YES ? NO : YES,
  ),
  'says that tokens have the other standard, and tries nothing': both(
    calls(['eth_call supportsInterface'], (result) => (result === YES ? NO : YES)),
    calls(['eth_call trial'], () => fail),
  ),
  'says that there is no code': (_) => ({
    change: ({ method }, result) => (method === 'eth_getCode' ? '0x' : result),
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
  'says that every key is used for its delivery': used,
  'says that no key is used': unused,
  'has records in blocks to come': calls(['eth_call records'], (result, _, call) =>
    changeRecords(call, result, (_key, record) => ({ ...record, blockNumber: 2n ** 31n })),
  ),
  'has another contract as the predecessor': calls(
    ['eth_call predecessor'],
    (_, { addresses, draw }) =>
      `0x${(addresses[draw % addresses.length] ?? '').slice(2).padStart(64, '0')}`,
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
  'has no receipts and counts a transaction more': both(
    () => ({
      change: ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result),
    }),
    counts((count) => count + 1),
  ),
} satisfies Record<string, (scene: Scene) => Story>

export type StoryName = keyof typeof stories
