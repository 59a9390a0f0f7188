/** Whether the NFTs for sale that are minted on delivery can be minted. */
import { describeReason } from '../../../src/delivery/reasons.ts'
import { openContract } from '../contract/delivery.ts'
import { findSamples } from '../contract/for-sale.ts'
import { describeGrant, MINT_FUNCTIONS } from '../contract/grants.ts'
import { parseNetwork, readNetworks } from '../contract/networks.ts'
import { connect } from '../contract/node.ts'
import { findObstacles } from '../contract/sales.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import type { Setup } from './report.ts'

/** Says what to grant. */
export async function checkMints(
  { environment: { name: environment }, advise }: Setup,
  db: SqliteDatabase,
  now: Date,
): Promise<void> {
  for (const [name, settings] of Object.entries(readNetworks(environment))) {
    const network = parseNetwork(name, settings)
    const samples = await findSamples(db, network, now)
    const mints = samples.filter(({ fulfilment }) => fulfilment === 'mint')
    if (mints.length === 0) continue
    const delivery = await openContract(await connect(network), network)
    for (const { contract, obstacle } of await findObstacles(delivery, network, mints))
      if (obstacle)
        advise(
          [
            `NFTs for sale of ${contract} on ${name} cannot be minted: ${describeReason(obstacle)} (${obstacle.reasonCode}). ${MINT_FUNCTIONS}`,
            ...describeGrant(name, environment, contract),
          ].join('\n'),
        )
  }
}
