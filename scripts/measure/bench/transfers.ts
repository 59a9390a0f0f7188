/** Measures how fast paid orders become confirmed transfers on a local chain. */
import { setTimeout as pause } from 'node:timers/promises'
import { createTestClient, http } from 'viem'
import { createClient } from '../../../client/src/index.ts'
import { localAccount, toPrivateKey } from '../../local/chain/accounts.ts'
import { startAnvil } from '../../local/chain/anvil.ts'
import { deployCollectibles } from '../../local/chain/collectibles.ts'
import { deployDelivery, localNetworks } from '../../local/chain/delivery.ts'
import { serveWorker } from './worker.ts'

const ORDERS_PER_CALL = 100
/** A limited NFT of the synthetic catalogue, sold by user 1. */
const NFT_ID = 2
/** Seconds. */
const TIMEOUT = 300

/** A way in which the chain makes blocks. */
export type Scenario = {
  title: string
  items: number
  /** Arguments of anvil once the contracts are deployed. */
  blockTime?: number
  network: { itemsPerTransaction: number; transactionsInFlight: number }
}

/**
 * Places orders through the API. One signer delivers their items on a real node. Returns the seconds
 * until the last response, and until the last receipt.
 */
export async function measureTransfers(
  bindings: Record<string, string>,
  token: string,
  sql: readonly string[],
  { items, blockTime, network: settings }: Scenario,
) {
  const [signer, seller, owner] = [localAccount(0), localAccount(2), localAccount(5)]
  await using anvil = await startAnvil({ port: 0, args: ['--gas-limit', '30000000'] })
  const delivery = await deployDelivery(anvil.url, owner, [signer.address])
  const { erc1155 } = await deployCollectibles(anvil.url, {
    seller,
    operator: delivery,
    uniques: 1,
    editions: [{ id: 1n, amount: BigInt(items) }],
  })
  if (blockTime) await setBlockTime(anvil.url, blockTime)
  await using worker = await serveWorker({
    main: 'src/worker.ts',
    bindings: {
      ...bindings,
      // The chain is as fast as the machine.
      NETWORKS: localNetworks(anvil.url, delivery, { callsPerSecond: 1_000_000, ...settings }),
      TRANSFER_SIGNER_KEYS: toPrivateKey(signer),
    },
    sql: [
      ...sql,
      `UPDATE users SET ethereumPublicAddr = '${seller.address}' WHERE id = 1`,
      `UPDATE nfts SET contractAddr = '${erc1155}', tokenId = '1' WHERE id = ${NFT_ID}`,
      `UPDATE listings SET sellerId = 1 WHERE id = ${NFT_ID}`,
    ],
    isConsumer: true,
  })
  const client = createClient({ url: worker.url, token })
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  for (let placed = 0; placed < items; placed += ORDERS_PER_CALL) {
    const orders = Array.from({ length: ORDERS_PER_CALL }, (_, i) => ({
      nftId: NFT_ID,
      listingId: NFT_ID,
      quantity: 1,
      buyerUserId: 10 + ((placed + i) % 50),
    }))
    await client.placeOrders({ body: orders })
  }
  const placedAfter = elapsed()
  for (;;) {
    const row = await worker.database
      .prepare("SELECT count(*) AS n FROM deliveries WHERE state = 'transferred'")
      .first<{ n: number }>()
    const transferred = row?.n ?? 0
    const seconds = elapsed()
    if (transferred === items || seconds > TIMEOUT) return { transferred, placedAfter, seconds }
    await pause(250)
  }
}

/** From now on the node makes a block every so many seconds, and none for each transaction. */
async function setBlockTime(url: string, seconds: number): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(url) })
  await client.setAutomine(false)
  await client.setIntervalMining({ interval: seconds })
}
