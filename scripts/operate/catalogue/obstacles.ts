/**
 * What of a catalogue cannot be delivered: the first NFT of each token contract and seller is tried, and that
 * with the highest token id, which is the last of a batch.
 */
import { describeReason } from '../../../src/delivery/reasons.ts'
import type { Sale } from '../../../src/delivery/sales.ts'
import { linesIn } from '../../shell/files.ts'
import { parseNetwork, readNetworks } from '../contract/networks.ts'
import { tryOn } from '../contract/sales.ts'

/** Contracts. The Worker tries the others soon after the import. */
const MAX_SAMPLES = 50

/**
 * Returns what cannot be delivered and why, as lines to print. Every line of the file must be a record or
 * blank. What nodes do not tell is left out.
 */
export async function describeObstacles(file: string, environment?: string): Promise<string[]> {
  const samples = await findSamples(file)
  const networks = readNetworks(environment)
  const lines: string[] = []
  for (const [name, sales] of Map.groupBy(samples, ({ network }) => network)) {
    const tried = name in networks ? await tryOn(parseNetwork(name, networks[name]), sales) : []
    for (const { contract, tokenId, obstacle } of tried)
      if (obstacle)
        lines.push(
          `  ${name} ${contract} ${tokenId}: ${describeReason(obstacle)} (${obstacle.reasonCode})`,
        )
  }
  return lines.length > 0
    ? [
        'These NFTs, and others of the same contract and seller, cannot be delivered now. Orders wait for a permission that is missing; what has another reason is not sold until it can be delivered:',
        ...lines,
      ]
    : []
}

/** The first and the last token of a contract, as a seller lists them. */
type Samples = { first: Sale; last: Sale }

/** Of a seller who has no wallet in the file, nothing is known but what is minted. */
async function findSamples(file: string): Promise<Sale[]> {
  const [wallets, nfts] = [new Map<string, string>(), new Map<string, Omit<Sale, 'seller'>>()]
  const samples = new Map<string, Samples>()
  for await (const line of linesIn(file)) {
    const record = JSON.parse(line.trim() || '{}')
    const { type, id, network, contract, tokenId = null, fulfilment = 'transfer' } = record
    const { heldBySeller = false } = record
    if (type === 'user') wallets.set(id, record.ethereumPublicAddr)
    // Of what only some wallets may get, a trial says nothing.
    if (type === 'nft' && record.recipients !== 'verified')
      nfts.set(id, { network, contract, tokenId, fulfilment, heldBySeller })
    if (type !== 'listing' || record.active === false) continue
    const nft = nfts.get(record.nft)
    const seller = nft?.fulfilment === 'mint' ? '' : wallets.get(record.seller)
    const group = [nft?.network, nft?.contract, nft?.fulfilment, nft?.heldBySeller, seller]
    const key = JSON.stringify(group)
    const known = samples.get(key)
    if (!nft || seller === undefined || (!known && samples.size >= MAX_SAMPLES)) continue
    const sale = { ...nft, seller }
    if (!known) samples.set(key, { first: sale, last: sale })
    else if (BigInt(sale.tokenId ?? 0) > BigInt(known.last.tokenId ?? 0)) known.last = sale
  }
  return [...samples.values()].flatMap(({ first, last }) =>
    first === last ? first : [first, last],
  )
}
