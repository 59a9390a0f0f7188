/** Whether the NFTs for sale that are minted on delivery can be minted. */
import { openContract } from '../contract/delivery.ts'
import { findTokensForSale } from '../contract/for-sale.ts'
import { describeGrant, MINT_FUNCTIONS } from '../contract/grants.ts'
import { parseNetwork, readNetworks } from '../contract/networks.ts'
import { connect } from '../contract/node.ts'
import { findMintProblems } from '../contract/tokens.ts'
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
    const tokens = await findTokensForSale(db, network, now)
    const mints = tokens.filter(({ fulfilment }) => fulfilment === 'mint')
    if (mints.length === 0) continue
    const node = await connect(network)
    const contract = await openContract(node, network)
    for (const { token, problem } of await findMintProblems(node, contract, mints))
      advise(
        [
          `NFTs for sale of ${token} on ${name} cannot be minted: ${problem}. ${MINT_FUNCTIONS}`,
          ...describeGrant(name, environment, token),
        ].join('\n'),
      )
  }
}
