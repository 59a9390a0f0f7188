/** Which transactions have used the keys of deliveries, as all nodes tell them. */
import type { Address, Hex } from 'viem'
import { askOne, type Node } from '../../chain/nodes.ts'
import { isUse, usedTopics } from '../../ethereum/contract.ts'
import {
  eventLogs,
  logs,
  read,
  receipt,
  transaction,
  transactionByHash,
  transactionReceipt,
} from '../../ethereum/requests.ts'
import type { Observation } from '../model.ts'
import { findHighestCount } from '../rules/decide.ts'
import {
  type AgreedTransaction,
  agreeOnMined,
  deniesTransfer,
  isMinedDisputed,
  type LocatedUse,
  type Mined,
  type Recorded,
} from '../rules/settle.ts'
import { describeReceipts, describeUses } from './differences.ts'

/** The transaction that has used the key of a delivery. */
export type FoundUse = {
  /** The first one that two nodes tell; else that of one node, if no node tells another one. */
  proof: { located: LocatedUse; agreed: AgreedTransaction } | null
  /** The one that events name; null if none does, or if they name several. */
  hash: Hex | null
  /** Whether nodes have it. */
  isTold: boolean
  /**
   * Whether nodes have different ones, or one has a receipt which does not show that the token moved
   * something.
   */
  isDoubtful: boolean
}

/** What nodes tell of the transactions that events name. */
type NamedTransactions = {
  /** What each node that has it tells of a transaction. */
  answersAbout: (hash: Hex) => Mined[]
  /** Those about which the nodes agree. */
  agreed: ReadonlyMap<Hex, AgreedTransaction>
}

/** Finds the transactions that have used keys, as all nodes tell them. Two nodes must agree about them. */
export async function readUses(
  recorded: readonly Recorded[],
  { node, nodes, lineage, signers, isAlone }: Observation,
) {
  const told = await Promise.all(nodes.map((one) => locateUses(one, recorded, lineage)))
  const uses = told.flat()
  const hashes = [...new Set(uses.map(({ use }) => use.transactionHash))]
  const mined = await Promise.all((isAlone ? [node] : nodes).map((one) => readMined(one, hashes)))
  const answersAbout = (hash: Hex) => mined.flatMap((one) => one.get(hash) ?? [])
  const agreed = agreeOnEach(hashes, answersAbout, signers)
  const found = recorded.map((entry) => {
    const ofDelivery = uses.filter(({ delivery }) => delivery.id === entry.delivery.id)
    return [entry.delivery.id, findUse(entry, ofDelivery, { answersAbout, agreed })] as const
  })
  return {
    found: new Map(found),
    disagreements: [...describeUses(recorded, told), ...describeReceipts(hashes, mined)],
  }
}

/** Returns each transaction about which the nodes agree, once: an event of it proves one delivery only. */
function agreeOnEach(
  hashes: readonly Hex[],
  answersAbout: NamedTransactions['answersAbout'],
  signers: Observation['signers'],
): NamedTransactions['agreed'] {
  const transactions = new Map<Hex, AgreedTransaction>()
  for (const hash of hashes) {
    const agreed = agreeOnMined(answersAbout(hash))
    if (!agreed) continue
    const { nonce, from } = agreed.mined
    const state = signers.get(from)
    // A nonce that its signer has not reached yet is a wrong answer; if two nodes tell the transaction, of
    // the count.
    const count = agreed.isConfirmed ? findHighestCount(state) : state?.count
    if (!state || nonce < (count ?? 0)) transactions.set(hash, agreed)
  }
  return transactions
}

/** `uses`: the events of the delivery's key, as nodes tell them. */
function findUse(
  { delivery, record }: Recorded,
  uses: readonly LocatedUse[],
  { answersAbout, agreed: transactions }: NamedTransactions,
): FoundUse {
  const hasUse = (mined: Mined, { address }: LocatedUse['use']) =>
    mined.blockNumber === record.block &&
    mined.logs.some((log) => isUse(log, address, delivery.key, record))
  // Two nodes may tell that a transaction which one names has not used the key.
  const located = uses.filter(({ use }) => {
    const agreed = transactions.get(use.transactionHash)
    return !(agreed?.isConfirmed && !hasUse(agreed.mined, use))
  })
  const proofs = located.flatMap((one) => {
    const agreed = transactions.get(one.use.transactionHash)
    return agreed && hasUse(agreed.mined, one.use) ? { located: one, agreed } : []
  })
  const named = [...new Set(located.map(({ use }) => use.transactionHash))]
  const having = named.filter((hash) => answersAbout(hash).length > 0)
  const isDenied = located.some((one) =>
    answersAbout(one.use.transactionHash).some(
      ({ blockNumber, logs }) => blockNumber === record.block && deniesTransfer(one, logs),
    ),
  )
  const isDisputed = having.some((hash) => isMinedDisputed(answersAbout(hash)))
  const [only] = having.length === 1 ? proofs : []
  const [hash = null, ...others] = named
  return {
    proof: proofs.find(({ agreed }) => agreed.isConfirmed) ?? only ?? null,
    hash: others.length === 0 ? hash : null,
    isTold: having.length > 0,
    isDoubtful: isDenied || isDisputed || having.length > 1,
  }
}

/**
 * Returns the deliveries whose keys events show as used, as one node tells it. `lineage`: the contracts that
 * may have logged the events.
 */
async function locateUses(node: Node, recorded: readonly Recorded[], lineage: readonly Address[]) {
  const groups = [...Map.groupBy(recorded, ({ record }) => record.block)]
  const requests = groups.map(([block, inBlock]) =>
    eventLogs(
      block,
      [...new Set([...lineage, ...inBlock.map(({ record }) => record.contract)])],
      usedTopics(inBlock.map(({ delivery }) => delivery.key)),
    ),
  )
  const replies = await askOne(node, requests)
  const events = requests.flatMap((request) => read(logs, replies(request)) ?? [])
  return recorded.flatMap((entry) => {
    const { delivery, record } = entry
    const use = events.find((event) =>
      [...lineage, record.contract].some((one) => isUse(event, one, delivery.key, record)),
    )
    return use ? [{ ...entry, use }] : []
  })
}

/** Returns what a node says of transactions. Absent: it does not tell, or answers about another one. */
async function readMined(node: Node, hashes: readonly Hex[]): Promise<Map<Hex, Mined>> {
  const replies = await askOne(
    node,
    hashes.flatMap((hash) => [transactionReceipt(hash), transactionByHash(hash)]),
  )
  return new Map(
    hashes.flatMap((hash) => {
      const mined = read(receipt, replies(transactionReceipt(hash)))
      const found = read(transaction, replies(transactionByHash(hash)))
      return mined?.transactionHash === hash && found?.hash === hash
        ? [[hash, { ...mined, nonce: found.nonce }]]
        : []
    }),
  )
}
