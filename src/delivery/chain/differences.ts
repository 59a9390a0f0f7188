/** What nodes contradict each other about, with the answer of each, as alarms tell it. */
import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { isContradicted } from '../../chain/claims.ts'
import type { Receipt } from '../../ethereum/requests.ts'
import type { ObservedRecord, SignerState } from '../model.ts'
import type { LocatedUse, Recorded } from '../rules/settle.ts'
import type { Disagreement } from '../store/disagreements.ts'

type Told = {
  records: ReadonlyMap<Hex, ObservedRecord>
  receipts: ReadonlyMap<Hex, Receipt | null>
}

/** What nodes contradict each other about, with the answer of each. */
export function describeEvidence(
  {
    differing: [key],
    hashes,
    disputed,
  }: { differing: readonly Hex[]; hashes: readonly Hex[]; disputed: readonly Address[] },
  told: readonly Told[],
  signers: ReadonlyMap<Address, SignerState>,
): Disagreement[] {
  const signer = disputed.find((one) => (signers.get(one)?.told.length ?? 0) > 1)
  return [
    ...describe('the record of a delivery key', key, (key) =>
      told.map(({ records }) => recordText(records.get(key))),
    ),
    ...describeReceipts(
      hashes,
      told.map(({ receipts }) => receipts),
    ),
    ...describe('the nonce of a signer', signer, (signer) =>
      (signers.get(signer)?.told ?? []).map(({ count }) => String(count)),
    ),
  ]
}

/** Returns the first of these transactions of which nodes have different receipts, with those of each. */
export function describeReceipts(
  hashes: readonly Hex[],
  told: readonly ReadonlyMap<Hex, Receipt | null>[],
): Disagreement[] {
  const textsOf = (hash: Hex) => told.map((receipts) => receiptText(receipts.get(hash)))
  const hash = hashes.find((one) => isContradicted(textsOf(one).filter(isTold), String))
  return describe('the receipt of a transaction', hash, textsOf)
}

/** `of`: what the nodes were asked about; undefined if they do not contradict each other. */
const describe = <T extends Hex>(
  about: string,
  of: T | undefined,
  answersOf: (of: T) => readonly string[],
): Disagreement[] => (of ? [{ about, answers: `${of}: ${answersOf(of).join(' / ')}` }] : [])

const SILENT = 'no answer'
const isTold = (text: string): boolean => text !== SILENT

function recordText(record: ObservedRecord | undefined): string {
  if (!record) return SILENT
  return record.block === 0 ? 'unused' : `used in block ${record.block}`
}

function receiptText(receipt: Receipt | null | undefined): string {
  if (receipt === undefined) return SILENT
  if (!receipt) return 'none'
  const { blockNumber, status, logs } = receipt
  const digest = keccak256(stringToHex(JSON.stringify(logs).toLowerCase())).slice(0, 10)
  return `block ${blockNumber}, status ${status}, ${logs.length} events (${digest})`
}

/** Returns the first of these deliveries of which nodes name different transactions, with those of each. */
export function describeUses(
  recorded: readonly Recorded[],
  told: readonly (readonly LocatedUse[])[],
): Disagreement[] {
  const namesOf = (key: Hex) =>
    told.map(
      (uses) => uses.find(({ delivery }) => delivery.key === key)?.use.transactionHash ?? SILENT,
    )
  const differing = recorded.find(({ delivery }) =>
    isContradicted(namesOf(delivery.key).filter(isTold), String),
  )
  return describe('the transaction of a delivery key', differing?.delivery.key, namesOf)
}
