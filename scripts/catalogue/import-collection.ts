/** Reads a collection from its contract into a file, for `npm run import -- --from-chain`. */
import { getAddress, isAddress } from 'viem'
import * as z from 'zod'
import { findNetwork } from '../contract/networks.ts'
import { CommandError, parseInteger, UsageError } from '../shell/command.ts'
import type { Problem } from './chain/problem.ts'
import { readCollection } from './chain/read.ts'
import type { Prices } from './chain/records.ts'
import { writeLines } from './lines.ts'
import { beside, showProgress } from './report.ts'

/** The options of the command line. */
export const collectionOptions = {
  'from-chain': {
    type: 'string',
    value: 'ADDRESS',
    help: 'Read the NFTs of this contract into FILE.jsonl first.',
  },
  network: { type: 'string', value: 'NAME', help: 'The network of the contract.' },
  'from-block': {
    type: 'string',
    value: 'N',
    help: 'Where its events begin. Default: the block of its creation',
  },
  'price-cents': { type: 'string', value: 'N', help: 'Price of each NFT. Default: drafts' },
  'price-eths': { type: 'string', value: 'ETH', help: 'The same in ETH.' },
  currency: { type: 'string', value: 'CODE', help: 'Currency of --price-cents, as in EUR.' },
  creator: {
    type: 'string',
    value: 'ID',
    help: 'The creator, who also sells: a user who is imported.',
  },
  'creator-email': { type: 'string', value: 'ADDRESS', help: 'The same, by e-mail address.' },
  'creator-wallet': {
    type: 'string',
    value: 'ADDRESS',
    help: 'The same, by wallet. Default: the owner of the contract',
  },
  'contract-name': { type: 'string', value: 'TEXT', help: 'Default: what the contract says' },
  'ipfs-gateway': { type: 'string', value: 'URL', help: 'For metadata. Default: https://ipfs.io' },
} as const

type Values = { [Name in keyof typeof collectionOptions]?: string | undefined }

/** Tokens that are printed. A file has all of them. */
const SHOWN = 20

/** The file to read a collection into, unless the caller names one. */
export const collectionFile = (values: Values): string =>
  `${values.network}-${values['from-chain']}.jsonl`.toLowerCase()

/**
 * Writes the records of the collection to the file. Returns a text about tokens that are not in it,
 * `''` if all are. Throws a `CommandError`.
 */
export async function importCollection(
  file: string,
  values: Values,
  environment: string | undefined,
): Promise<string> {
  if (!values.network) throw new UsageError('--from-chain needs --network.')
  const { METADATA_LOOPBACK_HOSTS = '' } = process.env
  const collection = await readCollection({
    network: findNetwork(values.network, environment),
    address: parseAddress('--from-chain', values['from-chain']),
    file,
    creator: creatorOf(values),
    contractName: values['contract-name'],
    prices: pricesOf(values),
    fromBlock: values['from-block']
      ? parseInteger('--from-block', values['from-block'])
      : undefined,
    gateways: gatewaysOf(values['ipfs-gateway']),
    loopbackHosts: METADATA_LOOPBACK_HOSTS.split(',').filter(Boolean),
    onProgress: (phase, done, total) => showProgress(total > 0 ? done / total : 1, phase),
  })
  const { nfts, block, problems, warnings } = collection
  console.log(`Read ${nfts} NFTs, as of block ${block}, into ${file}.`)
  if (!pricesOf(values))
    console.log('They are drafts without listings. Set prices to sell them: see docs/catalogue.md.')
  for (const warning of warnings) console.error(warning)
  return problems.length > 0 ? reportTokens(file, problems) : ''
}

function creatorOf(values: Values) {
  const { creator: id, 'creator-email': email, 'creator-wallet': wallet } = values
  if (!id && !email && !wallet) return undefined
  if (id && (email || wallet)) throw new UsageError('--creator needs no other option of its kind.')
  return { id, email, wallet: wallet ? parseAddress('--creator-wallet', wallet) : undefined }
}

const ETH = /^\d+(\.\d{1,18})?$/

function pricesOf(values: Values): Prices | undefined {
  const { 'price-cents': cents, 'price-eths': priceEths, currency: priceCurrency } = values
  if (!cents && !priceEths && !priceCurrency) return undefined
  if (!cents || !priceEths || !priceCurrency)
    throw new UsageError('Set all of --price-cents, --price-eths and --currency, or none.')
  if (!ETH.test(priceEths))
    throw new CommandError(`--price-eths must be a decimal number, not "${priceEths}".`)
  return { priceCents: parseInteger('--price-cents', cents), priceEths, priceCurrency }
}

function gatewaysOf(ipfs: string | undefined) {
  if (!ipfs) return {}
  if (!z.url({ protocol: /^https?$/ }).safeParse(ipfs).success)
    throw new CommandError(`--ipfs-gateway must be a URL, not "${ipfs}".`)
  return { ipfs }
}

function parseAddress(name: string, value: string | undefined) {
  if (value && isAddress(value, { strict: false })) return getAddress(value)
  throw new CommandError(`${name} must be an address, not "${value}".`)
}

async function reportTokens(file: string, problems: readonly Problem[]): Promise<string> {
  const problemsFile = beside(file, 'tokens.jsonl')
  await writeLines(
    problemsFile,
    problems.map((problem) => JSON.stringify(problem)),
  )
  return [
    `${problems.length} tokens were left out:`,
    ...problems.slice(0, SHOWN).map(({ id, code, message }) => `  ${id}: ${message} (${code})`),
    ...(problems.length > SHOWN ? [`  and ${problems.length - SHOWN} more`] : []),
    `All of them are in ${problemsFile}. Run the command again to try them again.`,
  ].join('\n')
}
