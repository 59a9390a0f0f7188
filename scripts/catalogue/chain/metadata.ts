/** Reads the metadata of tokens that have none yet. */
import type { Address } from 'viem'
import * as z from 'zod'
import { isDeeper, parseExactly } from '../../../src/catalogue/json.ts'
import { MAX_DEPTH } from '../../../src/catalogue/record.ts'
import type { Ask } from '../../../src/ethereum/rpc.ts'
import { callOf, resultOf, type TokenContract } from './contract.ts'
import { type Download, MAX_BYTES, tooLarge } from './download.ts'
import { MetadataError } from './problem.ts'
import { type CollectionState, idOf, type TokenKey } from './state.ts'
import { type Gateways, sourceOf } from './uri.ts'

/** Tokens whose URIs are asked together. */
const PAGE = 500
/** Documents that are downloaded at a time. */
const PARALLEL_DOWNLOADS = 10

export type Options = {
  ask: Ask
  contract: TokenContract
  state: CollectionState
  gateways: Gateways
  download: Download
  onProgress: (done: number, total: number) => void
  /** Called for each token whose metadata cannot be read. */
  onProblem: (key: TokenKey, uri: string, error: MetadataError) => void
}

export async function readMetadata(options: Options): Promise<void> {
  const { state, onProgress } = options
  const total = state.countMissingMetadata()
  let done = 0
  onProgress(done, total)
  let last = ''
  for (;;) {
    const keys = state.missingMetadata(last, PAGE)
    last = keys.at(-1) ?? ''
    if (!last) return
    await readPage(options, keys, (count) => {
      done += count
      onProgress(done, total)
    })
  }
}

/** Tokens with the same URI are read once. */
async function readPage(
  { ask, contract, state, onProblem, ...options }: Options,
  keys: readonly TokenKey[],
  onDone: (count: number) => void,
): Promise<void> {
  const uris = await readUris(ask, contract, keys)
  const queue = [...Map.groupBy(keys, (key) => uris.get(key) ?? '')]
  const isErc1155 = contract.standard === 'erc1155'
  const read = async (uri: string, keys: readonly TokenKey[]) => {
    try {
      const texts = await readTexts(uri, options)
      for (const key of keys) {
        // ERC-1155: clients replace it in the URI and in the document.
        const own = isErc1155 ? texts.map((text) => text.replaceAll('{id}', key)) : texts
        state.saveMetadata(key, JSON.stringify(parse(own)))
      }
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error
      for (const key of keys) onProblem(key, uri, error)
    }
    onDone(keys.length)
  }
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await read(...next)
  }
  await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, work))
}

/** Returns the URI of each token that the contract returns one for. */
async function readUris(ask: Ask, { address, standard }: TokenContract, keys: readonly TokenKey[]) {
  const [functionName, isErc1155] =
    standard === 'erc721' ? (['tokenURI', false] as const) : (['uri', true] as const)
  const questions = new Map(keys.map((key) => [key, question(address, functionName, key)]))
  const replies = await ask([...questions.values()])
  return new Map(
    [...questions].map(([key, question]) => {
      const uri = resultOf(z.string(), functionName, replies(question)) ?? ''
      return [key, isErc1155 ? uri.replaceAll('{id}', key) : uri]
    }),
  )
}

const question = (address: Address, functionName: 'tokenURI' | 'uri', key: TokenKey) =>
  callOf(address, functionName, [idOf(key)])

/** Returns what the document may be: see `Source`. */
async function readTexts(
  uri: string,
  { gateways, download }: Pick<Options, 'gateways' | 'download'>,
): Promise<string[]> {
  const source = sourceOf(uri, gateways)
  const texts = 'url' in source ? [await download(source.url)] : source.texts
  if (texts.some((text) => Buffer.byteLength(text) > MAX_BYTES)) throw tooLarge()
  return texts
}

/** Returns the first text that is an object. */
function parse(texts: readonly string[]): object {
  const value = texts.map(parseJson).find((value) => value !== undefined)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MetadataError('metadata_invalid', 'must be a JSON object')
  if (isDeeper(value, MAX_DEPTH))
    throw new MetadataError('metadata_invalid', `must have at most ${MAX_DEPTH} levels`)
  return value
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
