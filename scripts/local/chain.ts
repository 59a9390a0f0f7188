/** The chain of `npm run dev`, and the contracts of the demo catalogue on it. */
import { createPublicClient, http } from 'viem'
import type { Database } from '../../src/db/client.ts'
import { seller, supply, transferSigner } from '../catalogue/demo.ts'
import { findContracts, isEmpty, loadDemo, moveToNewChain } from '../catalogue/load.ts'
import {
  type Collectibles,
  deployCollectibles,
  hasContracts,
  LOCAL_CHAIN_ID,
} from '../chain/collectibles.ts'
import { CommandError } from '../shell/command.ts'

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

/** Makes catalogue and chain match if either of them is new. Returns a status to print. */
export async function syncCatalogue(db: Database, rpcUrl: string): Promise<string> {
  const current = await findContracts(db)
  if (current && (await hasContracts(rpcUrl, Object.values(current)))) return 'demo, unchanged'
  if (!current && !(await isEmpty(db))) return 'not the demo, unchanged'
  const deployed = await deploy(rpcUrl)
  if (!current) {
    await loadDemo(db, deployed)
    return 'demo, created'
  }
  await moveToNewChain(db, current, deployed)
  return 'demo, moved to a new chain because the old one is gone'
}

const deploy = (rpcUrl: string): Promise<Collectibles> =>
  deployCollectibles(rpcUrl, { seller, operator: transferSigner.address, ...supply }).catch(
    (error) => {
      throw new CommandError(`The contracts of the demo could not be deployed: ${error.message}`)
    },
  )
