/** Which signer sends which items. Pure functions. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import type { ContractItem } from '../../ethereum/contract.ts'
import type { Observation } from './observe.ts'
import type { Item, Loaded } from './state.ts'

/** An item with the call that delivers it. */
export type Candidate = { item: Item; contract: Address; call: ContractItem }

export type Batch = {
  contract: Address
  signer: Address
  candidates: Candidate[]
}

/** What a signer can send besides its transactions that are not mined. */
export type Capacity = {
  /** The lowest free nonces. To leave one out would block those after it. */
  nonces: number[]
  /** Wei. */
  funds: bigint
  /** Items that it may submit today, by contract. */
  allowances: Map<Address, number>
}

/** Returns what a signer can still send. */
export function capacityOf(
  signer: Address,
  { transactionsInFlight }: Network,
  { signers, contracts }: Pick<Observation, 'signers' | 'contracts'>,
  { transactions, nextNonces }: Pick<Loaded, 'transactions' | 'nextNonces'>,
): Capacity {
  const { count: told = 0, balance = 0n } = signers.get(signer) ?? {}
  const count = Math.max(told, nextNonces.get(signer) ?? 0)
  const unmined = transactions.filter((t) => t.signer === signer && t.nonce >= count)
  const submitted = (contract: Address) =>
    unmined.reduce((sum, t) => sum + (t.contract === contract ? t.items.length : 0), 0)
  return {
    nonces: freeNonces(
      count,
      new Set(unmined.map(({ nonce }) => nonce)),
      Math.max(0, transactionsInFlight - unmined.length),
    ),
    funds: unmined.reduce((funds, { gas, maxFeePerGas }) => funds - gas * maxFeePerGas, balance),
    allowances: new Map(
      [...contracts].map(([contract, { allowances }]) => [
        contract,
        (allowances.get(signer) ?? 0) - submitted(contract),
      ]),
    ),
  }
}

/** Returns as many batches as the windows and daily limits of the signers allow. */
export function assign(
  candidates: readonly Candidate[],
  { itemsPerTransaction }: Network,
  capacities: ReadonlyMap<Address, Capacity>,
): Batch[] {
  const batches: Batch[] = []
  const room = new Map([...capacities].map(([signer, { nonces }]) => [signer, nonces.length]))
  const roomOf = (signer: Address) => room.get(signer) ?? 0
  for (const [contract, ofContract] of Map.groupBy(candidates, ({ contract }) => contract)) {
    const left = new Map(
      [...capacities].map(([signer, { allowances }]) => [signer, allowances.get(contract) ?? 0]),
    )
    let rest = ofContract
    while (rest.length > 0) {
      // The signer with most room, so that all work.
      const [signer] = [...left.keys()]
        .filter((address) => (left.get(address) ?? 0) > 0 && roomOf(address) > 0)
        .sort((a, b) => roomOf(b) - roomOf(a))
      if (!signer) break
      const allowance = left.get(signer) ?? 0
      const size = Math.min(itemsPerTransaction, allowance)
      left.set(signer, allowance - size)
      room.set(signer, roomOf(signer) - 1)
      batches.push({ contract, signer, candidates: rest.slice(0, size) })
      rest = rest.slice(size)
    }
  }
  return batches
}

/** The lowest nonces that are free, at or above the chain's count. */
function freeNonces(count: number, used: ReadonlySet<number>, length: number): number[] {
  const free: number[] = []
  for (let nonce = count; free.length < length; nonce++) if (!used.has(nonce)) free.push(nonce)
  return free
}
