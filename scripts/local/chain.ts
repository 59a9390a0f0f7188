/** The chain of `npm run dev`: a node, and the contracts of the demo catalogue on it. */
import { createPublicClient, http } from 'viem'
import type { Database } from '../../src/db/client.ts'
import { seller, supply, transferSigner } from '../catalogue/demo.ts'
import { contractsOf, isEmpty, loadDemo, moveToNewChain } from '../catalogue/load.ts'
import {
  type Collectibles,
  deployCollectibles,
  hasContracts,
  LOCAL_CHAIN_ID,
} from '../chain/collectibles.ts'
import { Failure } from '../shell/command.ts'

/** Throws a failure unless a local chain answers. */
export async function checkNode(rpcUrl: string): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 1, timeout: 5000 }) })
  const chainId = await client.getChainId().catch(() => {
    throw new Failure(`No EVM node answers at RPC_URL (${rpcUrl}).`)
  })
  if (chainId !== LOCAL_CHAIN_ID)
    throw new Failure(
      `The node at RPC_URL has chain id ${chainId}; the demo needs a local chain with ${LOCAL_CHAIN_ID}.`,
    )
}

/** Brings catalogue and chain together, whichever of them is new. Tells what it did. */
export async function matchCatalogue(db: Database, rpcUrl: string): Promise<string> {
  const known = await contractsOf(db)
  if (known && (await hasContracts(rpcUrl, Object.values(known)))) return 'the demo, kept'
  if (!known && !(await isEmpty(db))) return 'yours, kept: there is no demo in it'
  const contracts = await deploy(rpcUrl)
  if (!known) {
    await loadDemo(db, contracts)
    return 'the demo, new'
  }
  await moveToNewChain(db, known, contracts)
  return 'the demo, moved to a new chain: the old one is gone'
}

const deploy = (rpcUrl: string): Promise<Collectibles> =>
  deployCollectibles(rpcUrl, { seller, operator: transferSigner.address, ...supply }).catch(
    (error) => {
      throw new Failure(`The demo's contracts could not be deployed: ${error.message}`)
    },
  )
