/** Judges what the nodes of a network have told a check. Pure functions. */
import type { Address } from 'viem'
import { findHighest } from '../../chain/claims.ts'
import type { View } from '../../chain/views.ts'
import type { NodeRow } from '../../db/schema/operations.ts'
import type { Finding } from '../../delivery/store/findings.ts'
import type { Network } from '../../env.ts'
import type { Block } from '../../ethereum/requests.ts'
import { SECOND } from '../../time.ts'
import type { AskedNode, askReceipts } from './ask-nodes.ts'
import { compareViews, type OwnTransaction } from './compare-views.ts'
import { findDisagreements } from './disagreements.ts'

/** Seconds by which the newest block of a node may be older than that of another one. */
const BEHIND = 10 * 60

type ToldNode = Awaited<ReturnType<typeof askReceipts>>[number]

type Circumstances = { network: Network; signers: readonly Address[]; now: Date }

/**
 * Returns what a check has found. `check`: the row of the network, which has only a problem if no node can be
 * used. `maxPieces`: the largest number of pieces that a relayer may deliver at once, of what nodes say: one node
 * must not stop sales. Undefined: no node tells it. `hasSecond`: whether a second node answers.
 */
export function judgeNodes(
  told: readonly ToldNode[],
  own: readonly OwnTransaction[],
  circumstances: Circumstances,
) {
  const { network, now } = circumstances
  const views = told.flatMap(({ view }) => view ?? [])
  const reached = findHighest('final', views, ({ head }) => head.number)?.head.number ?? 0
  const judged = told.map((one) => judgeNode(one, { told, own, reached }, circumstances))
  const usable =
    told.find(({ view, problem }, i) => view && problem === null && !judged[i]?.row.behind) ??
    told.find(({ problem }) => problem === null)
  const seen = told.flatMap(({ node, view }) => (view ? { node: node.index, view } : []))
  return {
    check: {
      problem: usable ? null : (told.at(-1)?.problem ?? null),
      nodes: judged.map(({ row }) => row),
      ...(usable?.view && { checkedAt: now.toISOString(), ...usable.view.shown }),
    },
    findings: mergeFindings(judged.flatMap(({ findings }) => findings)),
    disagreements: findDisagreements(seen, network),
    maxPieces: views.length > 0 ? findMaxPieces(views) : undefined,
    hasSecond: views.length > 1,
  }
}

/** `told`: what all nodes say. `reached`: the highest block that two of them have. */
type Others = { told: readonly ToldNode[]; own: readonly OwnTransaction[]; reached: number }

/** Returns what to store of a node, and what nobody but a thief should have done, as it tells. */
function judgeNode(
  { node, row, before, view, receipts }: ToldNode,
  { told, own, reached }: Others,
  { network, signers, now }: Circumstances,
): { row: NodeRow; findings: Finding[] } {
  // A node that does not answer keeps what it had.
  if (!view) return { row: row ?? emptyRow, findings: [] }
  const { state, findings } = compareViews(
    { view, before, told: row?.state?.told ?? [], reached, own, receipts },
    network,
    signers,
    now,
  )
  const since = (known: string | null | undefined) => known ?? now.toISOString()
  const lag = findLag(told, view, row, now)
  const ahead = findAhead(told, view, lag, now)
  return {
    row: {
      lag,
      problem: view.problem,
      problemSince: view.problem && since(row?.problemSince),
      behind: ahead && { ...ahead, since: since(row?.behind?.since) },
      state,
    },
    findings: findings.map((finding) => ({ ...finding, nodes: [node.index] })),
  }
}

const noLag: NodeRow['lag'] = { head: null, finalBlock: null }
const emptyRow: NodeRow = {
  problem: null,
  problemSince: null,
  behind: null,
  lag: noLag,
  state: null,
}

/** Returns each finding once, with all nodes that tell it. */
const mergeFindings = (findings: readonly Finding[]): Finding[] =>
  [...Map.groupBy(findings, ({ key, detail }) => `${key} ${detail}`).values()].flatMap((same) =>
    same.slice(0, 1).map((first) => ({ ...first, nodes: same.flatMap(({ nodes }) => nodes) })),
  )

/** Null: no signer is a relayer. */
function findMaxPieces(views: readonly View[]): number | null {
  const signers = views.flatMap(({ shown }) => shown.signers)
  const capacities = signers.flatMap(({ limit }) => limit?.capacity ?? [])
  return capacities.length > 0 ? Math.max(...capacities) : null
}

type BlockKind = keyof NodeRow['lag']

/** Returns a node whose newest block, or final block, is `BEHIND` ahead of that of a view. */
const findAhead = (asked: readonly AskedNode[], view: View, lag: NodeRow['lag'], now: Date) =>
  findNewer('head', asked, view, lag, now) ?? findNewer('finalBlock', asked, view, lag, now)

function findNewer(
  kind: BlockKind,
  asked: readonly AskedNode[],
  view: View,
  lag: NodeRow['lag'],
  now: Date,
): Omit<NonNullable<NodeRow['behind']>, 'since'> | null {
  const mine = view[kind]
  if (!mine) return null
  const target = lag[kind]
  const isLate = target !== null && (target.isLate || isOverdue(target, now))
  const [newest] = blocksOf(kind, asked)
    .filter(
      ({ block }) =>
        block.timestamp - mine.timestamp >= BEHIND || (isLate && block.number > mine.number),
    )
    .toSorted((a, b) => b.block.timestamp - a.block.timestamp)
  const toPlace = ({ number, timestamp }: Block) => ({ block: number, time: timestamp })
  return newest ? { node: newest.node.index, mine: toPlace(mine), ...toPlace(newest.block) } : null
}

const isOverdue = ({ since }: { since: string }, now: Date) =>
  now.getTime() - Date.parse(since) >= BEHIND * SECOND

/** The blocks that nodes tell which can be used. */
const blocksOf = (kind: BlockKind, asked: readonly AskedNode[]) =>
  asked.flatMap(({ node, view, problem }) => {
    const block = view && problem === null ? view[kind] : null
    return block ? { node, block } : []
  })

/** Returns the blocks that other nodes had when those of a view were lower, and that it has not reached yet. */
const findLag = (
  asked: readonly AskedNode[],
  view: View,
  row: NodeRow | undefined,
  now: Date,
): NodeRow['lag'] => ({
  head: findTarget('head', asked, view, row, now),
  finalBlock: findTarget('finalBlock', asked, view, row, now),
})

function findTarget(
  kind: BlockKind,
  asked: readonly AskedNode[],
  view: View,
  row: NodeRow | undefined,
  now: Date,
): NodeRow['lag'][BlockKind] {
  const number = view[kind]?.number
  const known = row?.lag[kind]
  if (number === undefined) return null
  if (known && number < known.block) return known
  const highest = Math.max(...blocksOf(kind, asked).map(({ block }) => block.number))
  if (highest <= number) return null
  const isLate = known != null && isOverdue(known, now)
  return { block: highest, since: now.toISOString(), isLate }
}
