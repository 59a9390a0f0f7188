import { setTimeout as pause } from 'node:timers/promises'
import { localAccount, privateKeyOf } from '../chain/accounts.ts'
import { startAnvil } from '../chain/anvil.ts'
import { deployCollectibles } from '../chain/collectibles.ts'
import type { Execute } from './catalogue.ts'
import { serveWorker } from './serve.ts'

const ITEMS = 2000
const ORDERS_A_CALL = 100
/** NFT 2 of the catalogue, which is a limited one and sold by user 1. */
const NFT = 2

/** Seconds from the first order on: to the last answer, and to the last receipt. */
type Tally = { transferred: number; placed: number; seconds: number }

/**
 * Orders to confirmed receipts: 2,000 items of one signer, placed through the API and transferred
 * by the consumer on a real node. Answers transfers a second.
 */
export async function measureTransfers(
  bindings: Record<string, string>,
  token: string,
  fill: (execute: Execute) => Promise<void>,
): Promise<Tally> {
  const [signer, seller] = [localAccount(0), localAccount(2)]
  const anvil = await startAnvil({ port: 0 })
  const { erc1155 } = await deployCollectibles(anvil.url, {
    seller,
    operator: signer.address,
    uniques: 1,
    editions: [{ id: 1n, amount: BigInt(ITEMS) }],
  })
  const network = {
    chainId: 31337,
    rpcUrl: anvil.url,
    confirmations: 1,
    pollSeconds: 1,
    maxInFlight: 1000,
  }
  const worker = await serveWorker(
    'transfers',
    'src/worker.ts',
    {
      ...bindings,
      NETWORKS: JSON.stringify({ localhost: network }),
      TRANSFER_SIGNER_KEY: privateKeyOf(signer),
    },
    async (execute) => {
      await fill(execute)
      await execute(`UPDATE users SET ethereumPublicAddr = '${seller.address}' WHERE id = 1`)
      await execute(`UPDATE nfts SET contractAddr = '${erc1155}', tokenId = '1' WHERE id = ${NFT}`)
      await execute(`UPDATE listings SET sellerId = 1 WHERE id = ${NFT}`)
    },
    true,
  )
  try {
    const start = performance.now()
    for (let placed = 0; placed < ITEMS; placed += ORDERS_A_CALL) {
      const elements = Array.from({ length: ORDERS_A_CALL }, (_, i) => ({
        nftId: NFT,
        listingId: NFT,
        quantity: 1,
        buyerUserId: 10 + ((placed + i) % 50),
      }))
      const response = await fetch(`${worker.url}/api/externalOrders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(elements),
      })
      if (!response.ok) throw new Error(await response.text())
    }
    const answered = (performance.now() - start) / 1000
    for (;;) {
      const row = await worker.database
        .prepare(
          `SELECT count(*) AS n FROM transfers WHERE status = 'transferred' AND txId IN
             (SELECT hash FROM transactions)`,
        )
        .first<{ n: number }>()
      const seconds = (performance.now() - start) / 1000
      if (row?.n === ITEMS || seconds > 300)
        return { transferred: row?.n ?? 0, placed: answered, seconds }
      await pause(250)
    }
  } finally {
    await worker.stop()
    await anvil.stop()
  }
}
