/** The forced outcomes of the demo, in the local database and on the local chain. */

import { eq, inArray } from 'drizzle-orm'
import { type Address, isAddress } from 'viem'
import type { Database } from '../../src/db/client.ts'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { deliveryOwner } from './catalogue/demo.ts'
import { insertRows } from './catalogue/load.ts'
import { outcomeRows } from './catalogue/outcome-rows.ts'
import {
  approver,
  assetOf,
  externalIdOf,
  holders,
  type OutcomeContracts,
  outcomes,
} from './catalogue/outcomes.ts'
import type { Collectibles } from './chain/collectibles.ts'
import { areReady, deployOutcomeTokens, type OutcomeTokens } from './chain/outcomes.ts'

/** The outcomes whose NFTs tell the addresses of the tokens. */
const witnesses = {
  outcome: 'outcome-slow',
  limited: 'outcome-token-limit-reached',
  burning: 'outcome-gas-burned',
} as const

/** Makes the outcomes of the catalogue and the chain match, if either of them is new. */
export async function syncOutcomes(
  db: Database,
  rpcUrl: string,
  delivery: Address,
  collectibles: Collectibles,
): Promise<void> {
  const known = await findOutcomeTokens(db)
  if (known && (await areReady(rpcUrl, known, delivery))) return
  const options = { deployer: approver, owner: deliveryOwner, delivery, holders }
  const tokens = await deployOutcomeTokens(rpcUrl, options)
  const contracts = { ...collectibles, ...tokens, delivery }
  if (known) await moveOutcomes(db, contracts)
  else await insertRows(db, outcomeRows(contracts))
}

/** Returns the tokens of the catalogue, or null if it has no outcomes. */
export async function findOutcomeTokens(db: Database): Promise<OutcomeTokens | null> {
  const rows = await db
    .select({ externalId: nfts.externalId, address: nfts.contractAddr })
    .from(nfts)
    .where(inArray(nfts.externalId, Object.values(witnesses)))
  const find = (name: keyof typeof witnesses) => {
    const address = rows.find(({ externalId }) => externalId === witnesses[name])?.address ?? ''
    return isAddress(address) ? address : null
  }
  const [outcome, limited, burning] = [find('outcome'), find('limited'), find('burning')]
  return outcome && limited && burning ? { outcome, limited, burning } : null
}

async function moveOutcomes(db: Database, contracts: OutcomeContracts): Promise<void> {
  const [first, ...rest] = outcomes.map((outcome) => {
    const { contractAddr } = assetOf(outcome, contracts)
    return db
      .update(nfts)
      .set({ contractAddr })
      .where(eq(nfts.externalId, externalIdOf(outcome)))
  })
  if (first) await db.batch([first, ...rest])
}
