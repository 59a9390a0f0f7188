import { type Address, encodeEventTopics, erc721Abi, type Hex, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import type { Log } from '../../../../scripts/catalogue/chain/logs.ts'
import { keyOf } from '../../../../scripts/catalogue/chain/state.ts'
import { applyLogs } from '../../../../scripts/catalogue/chain/supply.ts'

const address = '0x000000000000000000000000000000000000dEaD'
const contract = {
  address,
  standard: 'erc721',
  isEnumerable: false,
  name: undefined,
  owner: undefined,
} as const

const transfer = (from: Address, to: Address, tokenId: bigint, logIndex: number) => {
  const args = { from, to, tokenId }
  const topics = encodeEventTopics({ abi: erc721Abi, eventName: 'Transfer', args })
  const log = { address, data: '0x', blockNumber: 7, logIndex } as const
  return { ...log, topics: topics as [Hex, ...Hex[]] }
}
const noSupply = () => 0n

it('applies events by their position, in whatever order the node returns them', () => {
  const mint = transfer(zeroAddress, address, 5n, 9)
  const burn = transfer(address, zeroAddress, 5n, 10)
  expect(applyLogs(contract, [burn, mint], noSupply)).toEqual(new Map([[keyOf(5n), 0n]]))
})

it('ignores events that are not as the standard says', () => {
  const { topics, ...log } = transfer(zeroAddress, address, 5n, 0)
  // ERC-20 has the same event with the amount as data.
  const [event, from = '0x', to = '0x'] = topics
  const amount: Hex = `0x${'1'.padStart(64, '0')}`
  const fungible: Log = { ...log, topics: [event, from, to], data: amount }
  expect(applyLogs(contract, [fungible], noSupply)).toEqual(new Map())
})
