/** Measures how fast paid orders become final transfers, on a local chain that makes a block for each transaction. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../../client/src/index.ts'
import { localAccount, toPrivateKey } from '../../local/chain/accounts.ts'
import { startAnvil } from '../../local/chain/anvil.ts'
import { deployCollectibles } from '../../local/chain/collectibles.ts'
import { deployDelivery, localNetworks } from '../../local/chain/delivery.ts'
import { serveWorker } from './worker.ts'

const ORDERS_PER_CALL = 100
/** A limited NFT of the synthetic catalogue, sold by user 1. */
const NFT_ID = 2
/** Milliseconds. */
const TIMEOUT = 300_000

/** Places orders through the API. One signer delivers their items. Returns the seconds until the last is final. */
export async function measureTransfers(
  bindings: Record<string, string>,
  token: string,
  sql: readonly string[],
  items: number,
): Promise<number> {
  const [signer, seller, owner] = [localAccount(0), localAccount(2), localAccount(5)]
  await using anvil = await startAnvil({ port: 0, args: ['--gas-limit', '30000000'] })
  const delivery = await deployDelivery(anvil.url, owner, [signer.address])
  const { erc1155 } = await deployCollectibles(anvil.url, {
    seller,
    operator: delivery,
    uniques: 1,
    editions: [{ id: 1n, amount: BigInt(items) }],
  })
  const network = {
    itemsPerTransaction: 50,
    transactionsInFlight: 8,
    // The chain is as fast as the machine.
    callsPerSecond: 1_000_000,
  }
  await using worker = await serveWorker({
    main: 'src/worker.ts',
    bindings: {
      ...bindings,
      NETWORKS: localNetworks([anvil.url], delivery, network),
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
  for (let placed = 0; placed < items; placed += ORDERS_PER_CALL) {
    const body = Array.from({ length: ORDERS_PER_CALL }, (_, i) => ({
      nftId: NFT_ID,
      listingId: NFT_ID,
      quantity: 1,
      buyerUserId: 10 + ((placed + i) % 50),
    }))
    await client.placeOrders({ body })
  }
  for (;;) {
    const row = await worker.database
      .prepare("SELECT count(*) AS n FROM deliveries WHERE state = 'transferred'")
      .first<{ n: number }>()
    const elapsed = performance.now() - start
    if (row?.n === items) return elapsed / 1000
    if (elapsed > TIMEOUT) throw new Error(`only ${row?.n} of ${items} items were transferred`)
    await pause(250)
  }
}
