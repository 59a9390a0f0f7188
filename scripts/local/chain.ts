/** The chain of `npm run dev`, with the Delivery contract and those of the demo catalogue. */
import { readFile, writeFile } from 'node:fs/promises'
import { type Address, createPublicClient, http, isAddress } from 'viem'
import type { Database } from '../../src/db/client.ts'
import { CommandError } from '../shell/command.ts'
import { deliveryOwner, seller, supply, transferSigner } from './catalogue/demo.ts'
import { findContracts, isEmpty, loadDemo, moveToNewChain } from './catalogue/load.ts'
import { LOCAL_CHAIN_ID } from './chain/chain-id.ts'
import {
  authorizeOperator,
  type Collectibles,
  deployCollectibles,
  hasContracts,
  limitMints,
} from './chain/collectibles.ts'
import { deployDelivery } from './chain/delivery.ts'
import { syncOutcomes } from './outcomes.ts'

/** Throws a `CommandError` unless a node with the local chain id responds. */
export async function checkNode(rpcUrl: string): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 1, timeout: 5000 }) })
  const chainId = await client.getChainId().catch(() => {
    throw new CommandError(`No EVM node responds at RPC_URL (${rpcUrl}).`)
  })
  if (chainId !== LOCAL_CHAIN_ID)
    throw new CommandError(
      `The node at RPC_URL has chain id ${chainId}. The demo needs a local chain with ${LOCAL_CHAIN_ID}.`,
    )
}

/**
 * Returns the address of the Delivery contract, which `file` has. If the chain is new, deploys the
 * contract. As the first transaction of its owner it gets the address in wrangler.toml.
 */
export async function ensureDelivery(rpcUrl: string, file: string): Promise<Address> {
  const known = await readFile(file, 'utf8').catch(() => '')
  if (isAddress(known) && (await hasContracts(rpcUrl, [known]))) return known
  const delivery = await deployDelivery(rpcUrl, deliveryOwner, [transferSigner.address])
  await writeFile(file, delivery)
  return delivery
}

/**
 * Makes catalogue and chain match if either of them is new. The Delivery contract may transfer and
 * mint the tokens then. Returns a status to print.
 */
export async function syncCatalogue(
  db: Database,
  bucket: R2Bucket,
  rpcUrl: string,
  delivery: Address,
): Promise<string> {
  const known = await findContracts(db)
  if (!known && !(await isEmpty(db))) return 'not the demo, unchanged'
  const isOnChain = known !== null && (await hasContracts(rpcUrl, Object.values(known)))
  const contracts = isOnChain ? known : await deploy(rpcUrl, delivery)
  if (isOnChain) await authorizeOperator(rpcUrl, { seller, operator: delivery }, known)
  await limitMints(rpcUrl, { owner: deliveryOwner, delivery, token: contracts.erc1155 })
  if (!known) await loadDemo(db, bucket, contracts)
  else if (!isOnChain) await moveToNewChain(db, known, contracts, delivery)
  await syncOutcomes(db, rpcUrl, delivery, contracts)
  if (isOnChain) return 'demo, unchanged'
  return known ? 'demo, moved to a new chain because the old one is gone' : 'demo, created'
}

const deploy = (rpcUrl: string, operator: Address): Promise<Collectibles> =>
  deployCollectibles(rpcUrl, { seller, operator, ...supply }).catch((error) => {
    throw new CommandError(`The contracts of the demo could not be deployed: ${error.message}`)
  })
