/** Reads a collection of NFTs from its contract into a file of catalogue records. */
import type { Address } from 'viem'
import type { Ask } from '../../../src/ethereum/rpc.ts'
import type { Network } from '../../contract/networks.ts'
import { CommandError } from '../../shell/command.ts'
import { readContract, readTotalSupply, type TokenContract } from './contract.ts'
import { downloading } from './download.ts'
import { readMetadata } from './metadata.ts'
import { asking, checkChain, readFinalBlock, wait as sleep, type Wait } from './nodes.ts'
import type { Problem } from './problem.ts'
import { type Creator, nftId, type Prices, writeRecords } from './records.ts'
import { CollectionState, type TokenKey } from './state.ts'
import { type OnProgress, readTokens } from './tokens.ts'
import { defaultGateways, type Gateways, prefixesOf } from './uri.ts'

export type CollectionOptions = {
  network: Network
  address: Address
  /** The output. `<file>.state`, beside it, has what was read so far. */
  file: string
  /** Default: the wallet that owns the contract. */
  creator?: Creator | undefined
  /** Default: what the contract says. */
  contractName?: string | undefined
  /** Without prices, the NFTs are drafts and have no listings. */
  prices?: Prices | undefined
  /** The first block to read events of. Default: the first one in which the contract exists. */
  fromBlock?: number | undefined
  gateways?: Partial<Gateways>
  /** Servers that metadata may be read from although they are not public, as `127.0.0.1:8000`. */
  loopbackHosts?: readonly string[]
  onProgress?: OnProgress
  wait?: Wait
}

export type Collection = {
  nfts: number
  listings: number
  /** The block up to which the contract was read. */
  block: number
  /** Tokens that are not in the file. */
  problems: Problem[]
  /** Sentences about the collection as a whole. */
  warnings: string[]
}

/**
 * Reads a collection as of the newest final block. What was read before is not read again, also if
 * the command was stopped. Throws a `CommandError` if the collection cannot be read.
 */
export async function readCollection(options: CollectionOptions): Promise<Collection> {
  const { network, address, file } = options
  const collection = `${network.chainId} ${address.toLowerCase()}`
  const state = new CollectionState(`${file}.state`, collection)
  try {
    return await readInto(state, options)
  } finally {
    state.close()
  }
}

const MAX_SHOWN_VALUE = 200

async function readInto(state: CollectionState, options: CollectionOptions): Promise<Collection> {
  const {
    network,
    file,
    wait = sleep,
    onProgress = () => {},
    fromBlock,
    contractName,
    prices,
  } = options
  const gateways = { ...defaultGateways, ...options.gateways }
  await checkChain(network)
  const ask = asking(network, wait)
  const final = await readFinalBlock(ask, network)
  const contract = await readContract(ask, options.address)
  const creator = options.creator ?? { wallet: contract.owner }
  if (!creator.id && !creator.email && !creator.wallet)
    throw new CommandError(
      'The contract has no owner. Name the creator: --creator, --creator-email or --creator-wallet.',
    )
  await readTokens({ network, ask, wait, onProgress }, contract, state, final, fromBlock)

  const problems = new Map<TokenKey, Problem>()
  await readMetadata({
    ask,
    contract,
    state,
    gateways,
    download: downloading({
      wait,
      loopbackHosts: options.loopbackHosts ?? [],
      // The operator has chosen the gateways.
      trusted: Object.values(prefixesOf(gateways)),
    }),
    onProgress: (done, total) => onProgress('metadata', done, total),
    onProblem: (key, uri, { code, message }) => {
      const value = uri.slice(0, MAX_SHOWN_VALUE)
      const id = nftId(network.name, contract, key)
      problems.set(key, { id, field: 'metadata', value, code, message })
    },
  })
  const written = await writeRecords(file, state, {
    network: network.name,
    contract,
    creator,
    contractName,
    prices,
  })
  return {
    ...written,
    block: final.number,
    problems: [...inOrder(problems), ...written.problems],
    warnings: await findWarnings(ask, contract, state, final.number),
  }
}

/** Downloads end in any order. */
const inOrder = (problems: Map<TokenKey, Problem>): Problem[] =>
  [...problems].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem)

/** Not every node knows old states, and not every contract counts like this. */
async function findWarnings(
  ask: Ask,
  { address, standard }: TokenContract,
  state: CollectionState,
  block: number,
): Promise<string[]> {
  const total = standard === 'erc721' ? await readTotalSupply(ask, address, block) : undefined
  const found = state.countTokens()
  if (total === undefined || total === BigInt(found)) return []
  return [`The contract says that it has ${total} tokens. ${found} were found.`]
}
