/** Writes what was read as records of a catalogue, one a line. */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Address } from 'viem'
import { parseExactly } from '../../../src/catalogue/json.ts'
import { CommandError } from '../../shell/command.ts'
import { hashOf, linesIn } from '../lines.ts'
import type { TokenContract } from './contract.ts'
import { MAX_BYTES } from './download.ts'
import type { Problem } from './problem.ts'
import { type CollectionState, idOf, type StoredToken, type TokenKey } from './state.ts'

/** The user to whom the NFTs belong: the id of one who is imported, or one or two identities. */
export type Creator = {
  id?: string | undefined
  email?: string | undefined
  wallet?: Address | undefined
}

export type Prices = { priceCents: number; priceEths: string; priceCurrency: string }

export type RecordOptions = {
  network: string
  contract: TokenContract
  creator: Creator
  /** Default: what the contract says, or `Collection`. */
  contractName: string | undefined
  /** Without prices, NFTs are drafts and there are no listings. */
  prices: Prices | undefined
}

const NO_PRICES: Prices = { priceCents: 0, priceEths: '0', priceCurrency: 'EUR' }

export type Written = { nfts: number; listings: number; problems: Problem[] }

/** Returns the external id of a token. */
export const nftId = (network: string, { address }: TokenContract, key: TokenKey): string =>
  `${network}-${address.toLowerCase()}-${idOf(key)}`

/** The lines of a file that somebody has edited, by type and id of their records. */
type Edited = Map<string, string>

/** Returns the lines of the file; none if it is as this module wrote it, or not there. */
async function readEdited(file: string, { progress }: CollectionState): Promise<Edited> {
  const lines: Edited = new Map()
  if (!existsSync(file) || progress.written.includes(await hashOf(file))) return lines
  for await (const line of linesIn(file)) {
    if (line.trim()) lines.set(keyIn(line, file), line)
  }
  return lines
}

function keyIn(line: string, file: string): string {
  try {
    const { type, id } = JSON.parse(line)
    return `${type} ${id}`
  } catch {
    throw new CommandError(`${file} has a line that is not JSON. Correct it, or name another file.`)
  }
}

/**
 * Replaces the file at once. The same state gives the same bytes. Of a file that was edited, only
 * metadata and amount of its NFTs change, and what is new comes in.
 */
export async function writeRecords(
  file: string,
  state: CollectionState,
  options: RecordOptions,
): Promise<Written> {
  const written: Written = { nfts: 0, listings: 0, problems: [] }
  const edited = await readEdited(file, state)
  const wasEdited = edited.size > 0
  const hash = createHash('sha256')
  function* lines() {
    for (const record of recordsOf(state, options, edited, written)) {
      const line = `${record}\n`
      hash.update(line)
      yield line
    }
    for (const line of edited.values()) yield `${line}\n`
  }
  const temporary = `${file}.new`
  await pipeline(Readable.from(lines()), createWriteStream(temporary, { mode: 0o600 }))
  // Both, because the file is replaced after this is stored. An edited file stays one.
  const last = state.progress.written.at(-1)
  if (!wasEdited) state.save({ written: [...(last ? [last] : []), hash.digest('hex')] })
  await rename(temporary, file)
  return written
}

function* recordsOf(
  state: CollectionState,
  options: RecordOptions,
  edited: Edited,
  written: Written,
) {
  /** Returns the line of a record, or the one in the file. */
  function take(record: { type: string; id: string }, changes = {}): string {
    const key = `${record.type} ${record.id}`
    const line = edited.get(key)
    if (line === undefined) return JSON.stringify(record)
    edited.delete(key)
    return JSON.stringify(Object.assign(Object(parseExactly(line)), changes))
  }

  const user = userOf(options.creator)
  const creator = options.creator.id ?? user.id
  if (!options.creator.id) yield take(user)
  for (const token of state.tokens()) {
    const nft = nftOf(token, creator, options)
    const problem = explainInvalidToken(nft, JSON.stringify(nft), token)
    if (problem) {
      written.problems.push(problem)
      continue
    }
    yield take(nft, { amount: nft.amount, metadata: nft.metadata })
    written.nfts++
    const listing = listingOf(nft, options.prices)
    if (!edited.has(`listing ${listing.id}`) && !options.prices) continue
    yield take(listing)
    written.listings++
  }
}

/** The id is the same in every collection of the creator. */
function userOf({ email, wallet }: Creator) {
  const id = wallet?.toLowerCase() ?? email ?? ''
  return {
    type: 'user',
    id,
    ...(email && { email }),
    ...(wallet && { ethereumPublicAddr: wallet }),
  }
}

const listingOf = (nft: { id: string; creator: string }, prices: Prices | undefined) => ({
  type: 'listing',
  id: `${nft.id}-sale`,
  nft: nft.id,
  seller: nft.creator,
  ...prices,
})

function nftOf({ key, supply, metadata }: StoredToken, creator: string, options: RecordOptions) {
  const { network, contract, prices } = options
  const contractName = visible(options.contractName) ?? visible(contract.name) ?? 'Collection'
  const parsed: Record<string, unknown> = Object(parseExactly(metadata))
  const isUnique = supply === 1n
  return {
    type: 'nft',
    id: nftId(network, contract, key),
    creator,
    network,
    contract: contract.address,
    contractName,
    tokenId: String(idOf(key)),
    amountType: isUnique ? 'unique' : 'limited',
    amount: Number(supply),
    status: prices ? 'released' : 'draft',
    ...(prices ?? NO_PRICES),
    metadata: { ...parsed, name: visible(parsed.name) ?? `${contractName} #${idOf(key)}` },
  }
}

function explainInvalidToken(
  nft: { id: string },
  line: string,
  { supply }: StoredToken,
): Problem | undefined {
  if (supply < 0n || supply > Number.MAX_SAFE_INTEGER)
    return {
      id: nft.id,
      field: 'amount',
      value: String(supply),
      code: 'amount_too_large',
      message: `must be from 1 to ${Number.MAX_SAFE_INTEGER}`,
    }
  if (Buffer.byteLength(line) < MAX_BYTES) return undefined
  return {
    id: nft.id,
    field: 'metadata',
    value: '',
    code: 'metadata_too_large',
    message: `the record must have at most ${MAX_BYTES / 1024} KiB`,
  }
}

const MAX_NAME = 255
/** What no name may contain: control and format characters except joiners, and lone surrogates. */
const INVISIBLE = /(?!\u200C|\u200D|[\u{E0020}-\u{E007F}])[\p{Cc}\p{Cf}\p{Cs}]/gu

/** Returns a text as a name has to be; undefined if nothing visible is left. */
function visible(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.toWellFormed().replace(INVISIBLE, ' ').trim()
  const short = text
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
  return short.trim() || undefined
}
