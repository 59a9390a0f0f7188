/** Writes what was read as records of a catalogue, one a line. */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Address } from 'viem'
import { parseExactly } from '../../../src/catalogue/json.ts'
import { CommandError } from '../../shell/command.ts'
import { hashOf } from '../lines.ts'
import type { TokenContract } from './contract.ts'
import { MAX_BYTES } from './download.ts'
import type { Problem } from './problem.ts'
import { type CollectionState, idOf, type StoredToken, type TokenKey } from './state.ts'

/** The user to whom the NFTs belong: one of both, or both. */
export type Creator = { email?: string | undefined; wallet?: Address | undefined }

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

/** Throws a `CommandError` if a file is there that this module did not write. */
export async function checkUnchanged(file: string, { progress }: CollectionState): Promise<void> {
  if (!existsSync(file) || progress.written.includes(await hashOf(file))) return
  throw new CommandError(
    `${file} is not as this command wrote it. Import it, or choose another file to read the contract into.`,
  )
}

/** Replaces the file at once. The same state gives the same bytes. */
export async function writeRecords(
  file: string,
  state: CollectionState,
  options: RecordOptions,
): Promise<Written> {
  const written: Written = { nfts: 0, listings: 0, problems: [] }
  const hash = createHash('sha256')
  function* lines() {
    for (const record of recordsOf(state, options, written)) {
      const line = `${record}\n`
      hash.update(line)
      yield line
    }
  }
  const temporary = `${file}.new`
  await pipeline(Readable.from(lines()), createWriteStream(temporary))
  // Both, because the file is replaced after this is stored.
  const last = state.progress.written.at(-1)
  state.save({ written: [...(last ? [last] : []), hash.digest('hex')] })
  await rename(temporary, file)
  return written
}

function* recordsOf(state: CollectionState, options: RecordOptions, written: Written) {
  const creator = userOf(options.creator)
  yield JSON.stringify(creator)
  for (const token of state.tokens()) {
    const nft = nftOf(token, creator.id, options)
    const line = JSON.stringify(nft)
    const problem = problemOf(nft, line, token)
    if (problem) {
      written.problems.push(problem)
      continue
    }
    yield line
    written.nfts++
    if (!options.prices) continue
    yield JSON.stringify({
      type: 'listing',
      id: `${nft.id}-sale`,
      nft: nft.id,
      seller: creator.id,
      ...options.prices,
    })
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

function problemOf(
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
