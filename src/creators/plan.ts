/** What becomes of a record that somebody lists: pure. */
import type { Fields } from '../catalogue/change.ts'
import { parseExactly } from '../catalogue/json.ts'
import { parseLines } from '../catalogue/line.ts'
import type { Settings } from '../env.ts'
import { ApiError, type Issue, requireNone } from '../http/errors.ts'
import type { Own, Stored } from './own.ts'
import type { Token } from './proof.ts'
import { type Kind, ruleOf } from './record.ts'

/** `fields`: the body. `publish`: whether it is to be on sale. `isConfirmed`: whether a price may change by much. */
type Sent = { fields: Fields; publish: boolean; isConfirmed: boolean }

export type RecordPlan = {
  kind: Kind
  /** The record as it is to be stored, a line of an import. */
  line: Fields
  /** What waits; null if nothing does. */
  proposal: { state: 'draft' | 'in_review'; fields: Fields } | null
  /** What has to be proven of it; null if nothing has. `pieces`: for sale. */
  token: (Token & { pieces: number }) | null
  isConfirmed: boolean
}

/** Whether a user may list anything. */
export const mayList = ({ CREATORS }: Pick<Settings, 'CREATORS'>, isApproved: boolean): boolean =>
  CREATORS === 'open' || (CREATORS === 'invited' && isApproved)

/** Refuses who may not list anything: `not_a_creator`. */
export function requireCreator(settings: Pick<Settings, 'CREATORS'>, { user }: Own): void {
  if (mayList(settings, user.isApproved)) return
  if (settings.CREATORS === 'off')
    throw new ApiError('not_a_creator', 'only the operator lists NFTs here')
  throw new ApiError('not_a_creator', 'ask the operator to approve you: then you can list NFTs')
}

export const refuseWithdrawn = (stored: Stored | null): void => {
  if (stored?.state === 'withdrawn')
    throw new ApiError('withdrawn', 'this was withdrawn: list it again under another ref')
}

/** Only an operator changes the record of what a treasury may hold. */
function refuseImported(stored: Stored | null): void {
  if (stored && !stored.record.heldBySeller)
    throw new ApiError('not_found', 'this was imported by the operator, who changes it')
}

export function planListing(settings: Settings, own: Own, { fields, ...sent }: Sent): RecordPlan {
  const { stored, user, externalId } = own
  refuseWithdrawn(stored)
  const line = normalize(settings, {
    ...fields,
    type: 'listing',
    id: externalId,
    nft: `${user.reference}/${fields.nft}`,
    seller: user.reference,
    saleType: 'regular',
  })
  // Whoever buys pays where the link leads: somebody has looked at it.
  const shopUrl = stored?.record.shopUrl ?? null
  return {
    kind: 'listing',
    line: { ...line, shopUrl },
    proposal: line.shopUrl === shopUrl ? null : waiting(sent.publish, { shopUrl: line.shopUrl }),
    token: null,
    isConfirmed: sent.isConfirmed,
  }
}

export function planNft(settings: Settings, own: Own, { fields, ...sent }: Sent): RecordPlan {
  const { stored, user, externalId } = own
  refuseWithdrawn(stored)
  refuseImported(stored)
  if (!Object.hasOwn(settings.NETWORKS, String(fields.network)))
    requireNone([{ path: 'network', code: 'network_not_found', message: 'is not configured' }])
  const { releaseAt = null, recipients = 'anybody' } = stored?.record ?? {}
  const line = normalize(settings, {
    releaseAt,
    ...fields,
    type: 'nft',
    id: externalId,
    creator: user.reference,
    status: 'draft',
    // What a person lists is never sent from a treasury, and takes no token from others.
    heldBySeller: true,
    recipients,
    coverKey: stored && coverKeyOf(stored),
  })
  refuseUnlistable(line)
  return stored?.state === 'released'
    ? planChange(own, stored, { line, ...sent })
    : planNew(own, { line, ...sent })
}

type Normal = Omit<Sent, 'fields'> & { line: Fields }

/** Nobody sees it yet, so the record itself changes. */
function planNew({ stored, user }: Own, { line, publish }: Normal): RecordPlan {
  const isReleased = publish && user.isApproved
  return {
    kind: 'nft',
    line: isReleased ? { ...line, status: 'released' } : line,
    proposal: publish && !isReleased ? waiting(true, {}) : null,
    token: publish ? tokenOf(line, stored) : null,
    isConfirmed: true,
  }
}

/** Returns a record that is on sale from now on, or from a later time that it names. */
export const released = (record: Fields, now: Date): Fields => ({
  ...record,
  status: 'released',
  releaseAt: [now.toISOString(), String(record.releaseAt ?? '')].sort().at(-1),
})

/** It is on sale: what has to be approved waits. */
function planChange(
  { user }: Own,
  stored: Stored,
  { line, publish, isConfirmed }: Normal,
): RecordPlan {
  const { record } = stored
  const changed = Object.keys(line).filter(
    (field) =>
      field !== 'status' && JSON.stringify(line[field]) !== JSON.stringify(record[field] ?? null),
  )
  const ruled = (rule: ReturnType<typeof ruleOf>) =>
    Object.fromEntries(
      changed
        .filter((field) => ruleOf(field, user.isApproved) === rule)
        .map((field) => [field, line[field]]),
    )
  requireNone(
    Object.keys(ruled('fixed')).map((path) => ({
      path,
      code: 'cannot_change',
      message: 'cannot change while it is on sale',
    })),
  )
  const reviewed = ruled('reviewed')
  const next = { ...record, ...ruled('free') }
  const isProven = Number(line.amount) <= Number(record.amount) && !changed.includes('fulfilment')
  return {
    kind: 'nft',
    line: next,
    proposal: Object.keys(reviewed).length > 0 ? waiting(publish, reviewed) : null,
    token: isProven ? null : tokenOf(next, stored),
    isConfirmed,
  }
}

/** What waits of a record. What was rejected does not. */
const waitingOf = ({ proposal }: Stored): RecordPlan['proposal'] =>
  proposal && proposal.state !== 'rejected'
    ? { state: proposal.state, fields: proposal.fields }
    : null

/** The key of the cover that a record has once all that waits of it is approved. */
export const coverKeyOf = (stored: Stored) =>
  waitingOf(stored)?.fields.coverKey ?? stored.record.coverKey ?? null

/** A picture is the cover at once, unless it is on sale and has to be approved. */
export function planCover({ user }: Own, stored: Stored, coverKey: unknown): RecordPlan {
  const { record, state } = stored
  const waits = waitingOf(stored)
  const isOnSale = state === 'released'
  const isReviewed = isOnSale && ruleOf('coverKey', user.isApproved) === 'reviewed'
  const { coverKey: _replaced, ...others } = waits?.fields ?? {}
  const fields = isReviewed && coverKey !== record.coverKey ? { ...others, coverKey } : others
  const isWaiting = isOnSale ? Object.keys(fields).length > 0 : waits !== null
  return {
    kind: 'nft',
    line: isReviewed ? record : { ...record, coverKey },
    proposal: isWaiting ? { state: waits?.state ?? 'in_review', fields } : null,
    token: null,
    isConfirmed: true,
  }
}

const waiting = (publish: boolean, fields: Fields) =>
  ({ state: publish ? 'in_review' : 'draft', fields }) as const

/** Returns the record in its normal form. Throws what is wrong with it. */
function normalize({ NETWORKS }: Settings, fields: Fields): Fields {
  const { staged, problems } = parseLines([JSON.stringify(fields)], 1, Object.keys(NETWORKS))
  requireNone(problems.map(({ line: _, ...issue }): Issue => issue))
  return Object(parseExactly(staged[0]?.record ?? '{}'))
}

const invalid = (path: string, message: string): Issue => ({ path, code: 'invalid_input', message })

function refuseUnlistable({ content, amountType, fulfilment }: Fields): void {
  if (Object(content).codes) requireNone([invalid('content.codes', 'only operators upload codes')])
  if (amountType === 'unlimited' && fulfilment === 'transfer')
    requireNone([
      invalid('amountType', 'must be "unique" or "limited": a wallet holds a number of pieces'),
    ])
}

/** The pieces of a record that are for sale. Those that were sold are promised already. */
export function tokenOf(record: Fields, stored: Pick<Stored, 'record' | 'available'> | null) {
  const { network, contract, tokenId, fulfilment, amount } = record
  const sold = stored ? Number(stored.record.amount) - (stored.available ?? 0) : 0
  return {
    network: String(network),
    contract: String(contract),
    tokenId: tokenId === null ? null : String(tokenId),
    fulfilment: fulfilment === 'mint' ? 'mint' : 'transfer',
    pieces: Math.max(1, Number(amount) - sold),
  } as const
}
