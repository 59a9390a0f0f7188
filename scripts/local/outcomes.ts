/** The forced outcomes of the demo, in the local database and on the local chain. */

import { eq, inArray } from 'drizzle-orm'
import { type Address, isAddress, parseAbi } from 'viem'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import artifact from '../../contracts/OutcomeToken.json' with { type: 'json' }
import type { Database } from '../../src/db/client.ts'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { contractAt } from '../operate/contract/delivery.ts'
import { createNode } from '../operate/contract/node.ts'
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
import { type Collectibles, connectAs, hasContracts, MINT_LIMIT } from './chain/collectibles.ts'

const abi = parseAbi(['constructor(address[] holders, address operator)'])

export type OutcomeTokens = Pick<OutcomeContracts, 'outcome' | 'limited' | 'burning'>

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
  const tokens = await deployTokens(rpcUrl, delivery)
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

/** Deploys the tokens, and sets their limits in the Delivery contract. */
async function deployTokens(rpcUrl: string, delivery: Address): Promise<OutcomeTokens> {
  const chain = connectAs(rpcUrl, approver)
  const deploy = () => chain.deploy(abi, artifact.bytecode, [holders, delivery])
  const tokens = { outcome: await deploy(), limited: await deploy(), burning: await deploy() }
  const { write } = connectAs(rpcUrl, deliveryOwner)
  const limit = (token: Address, pieces: bigint) =>
    write(delivery, deliveryAbi, 'setTokenLimit', [token, pieces, pieces])
  await limit(tokens.outcome, MINT_LIMIT)
  await limit(tokens.limited, 0n)
  return tokens
}

/** Returns whether the tokens are there, with limits in this Delivery contract. */
async function areReady(rpcUrl: string, tokens: OutcomeTokens, delivery: Address) {
  if (!(await hasContracts(rpcUrl, Object.values(tokens)))) return false
  const { tokenLimit } = contractAt(createNode([rpcUrl]), delivery).read
  return (await tokenLimit([tokens.limited])).isSet
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
