/** `npm run contract -- status`. */
import { findMissingApprovals } from './approvals.ts'
import { openContract } from './delivery.ts'
import { findHoldings, findSamples, findTokensForSale } from './for-sale.ts'
import type { Network } from './networks.ts'
import { connect } from './node.ts'
import { describeSales } from './sales.ts'
import { type Source, withDatabase } from './source.ts'
import { describeContract } from './status.ts'
import { describeTokens } from './tokens.ts'

/** Prints the state of the contract, then what the listings of the database need from it. */
export async function showStatus(network: Network, source: Source): Promise<void> {
  const node = await connect(network)
  const contract = await openContract(node, network)
  for (const line of await describeContract(node, contract)) console.log(line)
  if (source.env && !source.remote)
    return console.log(`listings     not read: --remote reads those of ${source.env}`)

  const now = new Date()
  const { holdings, tokens, samples } = await withDatabase(source, async (db) => ({
    holdings: await findHoldings(db, network, now),
    tokens: await findTokensForSale(db, network, now),
    samples: await findSamples(db, network, now),
  }))
  const missing = await findMissingApprovals(node, contract.address, holdings)
  console.log(`approvals    ${missing.length} of ${holdings.length} missing`)
  for (const { token, holder } of missing)
    console.log(`  ${holder} has not approved the contract for ${token}`)
  for (const line of await describeTokens(node, contract, tokens)) console.log(line)
  for (const line of await describeSales(network, samples)) console.log(line)
}
