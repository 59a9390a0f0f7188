/** Reads a collection from its contract into a file, for `npm run import -- --from-chain`. */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { parseLines } from '../../../src/catalogue/line.ts'
import { invalidField } from '../../../src/http/errors.ts'
import { CommandError, parseInteger, parseUrl, UsageError } from '../../shell/command.ts'
import { linesIn, writeLines } from '../../shell/files.ts'
import { findNetwork, parseAddress } from '../contract/networks.ts'
import { isSilence, openContract, type TokenContract } from './chain/contract.ts'
import { createReader } from './chain/metadata.ts'
import { createCreator, createRecords, externalId, type RecordOptions } from './chain/records.ts'
import { findFirstBlock, readFinalBlock, readSupplies } from './chain/supplies.ts'
import { parseRecord } from './lines.ts'
import { hideProgress, showProgress } from './report.ts'

/** Options of the command line. */
export type CollectionOptions = { [option: string]: string | undefined }

/** Tokens whose metadata is read at a time. */
const PAGE = 20

/** Returns the file to read a collection into, unless the caller names one. */
export const collectionFile = (values: CollectionOptions): string =>
  `${values.network}-${values['from-chain']}.jsonl`.toLowerCase()

/**
 * Adds the tokens that the file lacks, as of the newest final block. Prints why tokens are left out,
 * and returns their number. Throws a `CommandError`.
 */
export async function readCollection(
  file: string,
  values: CollectionOptions,
  environment: string | undefined,
): Promise<number> {
  if (!values.network) throw new UsageError('--from-chain needs --network.')
  const options: RecordOptions = {
    creator: values.creator,
    contractName: values['contract-name'],
    prices: parsePrices(values),
  }
  const network = findNetwork(values.network, environment)
  const contract = await openContract(network, parseAddress('--from-chain', values['from-chain']))
  const readMetadata = createReader(contract, {
    ipfsGateway: parseUrl('--ipfs-gateway', values['ipfs-gateway'] ?? 'https://ipfs.io'),
    loopbackHosts: (process.env.METADATA_LOOPBACK_HOSTS ?? '').split(',').filter(Boolean),
  })
  const user = createCreator(contract, options)
  const to = await readFinalBlock(contract)
  const from = values['from-block']
    ? parseInteger('--from-block', values['from-block'])
    : await findFirstBlock(contract, to)
  const supplies = [...(await readSupplies(contract, { from, to }))]
    .filter(([, supply]) => supply > 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  let leftOut = 0
  let silence: CommandError | undefined

  async function readToken([id, supply]: [bigint, bigint]): Promise<string[]> {
    const token = { id, supply, metadata: await readMetadata(id) }
    const lines = createRecords(contract, token, options).map((record) => JSON.stringify(record))
    const [problem] = parseLines(lines, 1, []).problems
    if (problem) throw invalidField(problem.path || 'record', problem.message)
    return lines
  }

  /** Others have written a token: whatever is wrong with it, the other tokens are read. */
  const readOrLeaveOut = (token: [bigint, bigint]): Promise<string[] | Error> =>
    readToken(token).catch((error: Error) => {
      leftOut++
      hideProgress()
      console.error(`Token ${token[0]} is left out: ${error.message}`)
      return error
    })

  async function* lines() {
    const read = await readKnown(file)
    const known = options.creator ? withCreator(read, contract, user.id) : read
    yield* known.values()
    if ('type' in user && !known.has(user.id)) yield JSON.stringify(user)
    const missing = supplies.filter(([id]) => !known.has(externalId(contract, id)))
    for (let i = 0; i < missing.length; i += PAGE) {
      const page = missing.slice(i, i + PAGE)
      const results = await Promise.all(page.map(readOrLeaveOut))
      for (const result of results) if (Array.isArray(result)) yield* result
      silence = results.every(isSilence) ? results.find(isSilence) : undefined
      if (silence) return
      showProgress((i + page.length) / missing.length, 'metadata')
      if (network.callsPerSecond) await setTimeout((PAGE / network.callsPerSecond) * 1000)
    }
  }

  await writeLines(file, lines())
  hideProgress()
  if (silence)
    throw new CommandError(
      `${silence.message}\n${file} keeps what was read before. Run the command again to go on.`,
    )
  console.log(`${file} has ${supplies.length - leftOut} NFTs, as of block ${to}.`)
  return leftOut
}

function parsePrices(values: CollectionOptions): RecordOptions['prices'] {
  const { 'price-cents': cents, 'price-eths': priceEths, currency: priceCurrency } = values
  if (!cents && !priceEths && !priceCurrency) return undefined
  if (!cents || !priceEths || !priceCurrency)
    throw new UsageError('Set all of --price-cents, --price-eths and --currency, or none.')
  return { priceCents: parseInteger('--price-cents', cents), priceEths, priceCurrency }
}

/** Returns the lines of the file by the ids of their records; none if there is no file. */
async function readKnown(file: string): Promise<Map<string, string>> {
  const lines = new Map<string, string>()
  if (existsSync(file))
    for await (const line of linesIn(file))
      lines.set(parseLines([line], 1, []).staged[0]?.externalId ?? line, line)
  return lines
}

/**
 * Returns the lines with another creator of the NFTs of the contract, who also sells what the one before
 * sold, and without users whom no record names any more.
 */
function withCreator(
  lines: ReadonlyMap<string, string>,
  { network, address }: TokenContract,
  creator: string,
): Map<string, string> {
  const before = new Map<string, string>()
  const named = new Set([creator])
  const records = [...lines].map(([key, line]) => {
    const record = parseRecord(line)
    const { type, id, nft } = record
    const changed = { ...record }
    if (type === 'nft' && record.network === network.name && record.contract === address) {
      before.set(String(id), String(record.creator))
      changed.creator = creator
    } else if (type === 'listing' && before.get(String(nft)) === record.seller)
      changed.seller = creator
    named.add(String(changed.creator)).add(String(changed.seller))
    const isSame = changed.creator === record.creator && changed.seller === record.seller
    const text = isSame ? line : JSON.stringify(changed)
    return { key, text, user: type === 'user' ? String(id) : null }
  })
  return new Map(
    records.flatMap(({ key, text, user }) =>
      user === null || named.has(user) ? [[key, text] as const] : [],
    ),
  )
}
