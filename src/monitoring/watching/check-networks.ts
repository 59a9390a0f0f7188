/**
 * Asks each network, once a minute, what else only a delivery would find out, and whether somebody
 * else uses its keys. All nodes are asked: one that hides a theft must not hide it from the others.
 */
import type { Address } from 'viem'
import type { Database } from '../../db/client.ts'
import type { Network, Settings } from '../../env.ts'
import { getSigner } from '../../ethereum/signer.ts'
import { askNodes, askReceipts } from './ask-nodes.ts'
import { readKnown, readOwn, storeCheck } from './check-rows.ts'
import { judgeNodes } from './judge-nodes.ts'

/** Checks all configured networks. One that fails does not stop the others. */
export async function checkNetworks(db: Database, settings: Settings, now: Date): Promise<void> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = await Promise.allSettled(
    Object.entries(settings.NETWORKS).map(([name, network]) =>
      checkNetwork({ db, name, network, signers, now }),
    ),
  )
  for (const check of checks) if (check.status === 'rejected') throw check.reason
}

type CheckCtx = {
  db: Database
  name: string
  network: Network
  signers: readonly Address[]
  now: Date
}

async function checkNetwork({ db, name, network, signers, now }: CheckCtx): Promise<void> {
  const { chainId } = network
  const { rows, tokens, tokensTo } = await readKnown(db, name, chainId)
  const asked = await askNodes({ network, signers, rows, tokens, now })
  const own = await readOwn(db, chainId, rows, asked)
  const told = await askReceipts(asked, own)
  const { check, ...found } = judgeNodes(told, own, { network, signers, now })
  await storeCheck(db, { check: { chainId, tokensTo, ...check }, ...found }, now)
}
