/** `npm run contract -- status`. */

import { type Source, withDatabase } from '../database/source.ts'
import { openContract } from './delivery.ts'
import { findSamples } from './for-sale.ts'
import type { Network } from './networks.ts'
import { connect } from './node.ts'
import { describeSales } from './sales.ts'
import { describeContract } from './status.ts'
import { describeToken } from './tokens.ts'

/** Prints the state of the contract, then what the listings of the database need from it. */
export async function showStatus(network: Network, source: Source): Promise<void> {
  const node = await connect(network)
  const contract = await openContract(node, network)
  for (const line of await describeContract(node, contract)) console.log(line)
  if (source.env && !source.remote)
    return console.log(`listings     not read: --remote reads those of ${source.env}`)

  const samples = await withDatabase(source, (db) => findSamples(db, network, new Date()))
  const tokens = new Set(samples.map((sample) => sample.contract))
  console.log(`tokens       ${tokens.size} for sale`)
  for (const token of tokens)
    for (const line of await describeToken(contract, token)) console.log(line)
  for (const line of await describeSales(contract, network, samples)) console.log(line)
}
