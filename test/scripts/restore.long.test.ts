/**
 * The drill: an instance loses its database while its chain goes on, gets a backup, and the shops
 * repeat all their orders.
 */
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { type Address, createPublicClient, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { expect, it } from 'vitest'
import { createClient, type Order } from '../../client/src/index.ts'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { deliveryOwner } from '../../scripts/local/catalogue/demo.ts'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import { aDevProject, FIRST_ORDER, READY } from '../support/dev.ts'
import { PATIENCE } from '../support/patience.ts'
import { databaseFile, tokenIn } from '../support/project.ts'

const { project, ports } = await aDevProject()
const BUYERS = [3, 4]
/** NFT 2 is transferred, and NFT 3 minted. */
const NFTS = [2, 3]

/** Each shop has a token, and numbers of its own. */
const aShop = (token: string) => createClient({ url: `http://localhost:${ports.PORT}`, token })
type Shop = ReturnType<typeof aShop>

/** Each shop sells each buyer some pieces of each NFT. Returns the ids of the orders. */
const place = (shops: Shop[], batch: string) =>
  Promise.all(
    shops.map((shop) =>
      Promise.all(
        BUYERS.flatMap((buyerUserId) =>
          NFTS.map(async (nftId) => {
            const order = { nftId, listingId: nftId, quantity: nftId, buyerUserId }
            const buyerBillingData = { city: 'Bo', country: 'DE', postal: '1', street: 'A' }
            const { orders } = await shop.putOrder({
              providerId: `${batch}-${buyerUserId}-${nftId}`,
              body: { ...order, buyerBillingData },
            })
            return orders[0]?.id ?? 0
          }),
        ),
      ),
    ),
  )

/** Waits for the orders of each shop. */
const waitForAll = (shops: Shop[], ids: number[][]): Promise<Order[][]> =>
  Promise.all(
    shops.map((shop, i) =>
      Promise.all(
        (ids[i] ?? []).map((id) => shop.waitForDelivery(id, { timeout: PATIENCE, interval: 200 })),
      ),
    ),
  )

/** The transaction of each order, by its shop and number. */
const transactionsOf = (orders: Order[][]) =>
  orders.map((ofShop) =>
    Object.fromEntries(
      ofShop.map(({ providerId, orderItems }) => [providerId, orderItems.map(({ txId }) => txId)]),
    ),
  )

const rpc = () => http(`http://127.0.0.1:${ports.RPC_PORT}`)

async function setPaused(functionName: 'pause' | 'unpause') {
  const address = await readFile(join(project.folder, '.wrangler/state/delivery'), 'utf8')
  const wallet = createWalletClient({ account: deliveryOwner, chain: foundry, transport: rpc() })
  const call = { abi: deliveryAbi, address: address.trim() as Address, functionName }
  const hash = await wallet.writeContract(call)
  await createPublicClient({ transport: rpc() }).waitForTransactionReceipt({ hash })
}

/** Runs a statement on the database of the instance, which was stopped. */
const query = (sql: string) =>
  new DatabaseSync(databaseFile(project.folder), { readOnly: true }).prepare(sql).all()

/** Orders, the stock that they took, and the sums that triggers keep. */
const readBooks = () => ({
  orders: query('SELECT namespace, providerId FROM orders ORDER BY 1, 2'),
  items: query('SELECT nftId, quantity, count(*) FROM orderItems GROUP BY 1, 2'),
  stock: query('SELECT id, amount - availableAmount FROM nfts ORDER BY 1'),
  deliveries: query('SELECT key, state FROM deliveries ORDER BY 1'),
  nfts: query('SELECT * FROM nftCounts ORDER BY 1'),
  creators: query('SELECT * FROM creators ORDER BY 1'),
})

/** Pieces that each buyer has of each NFT. */
function readBalances(): Promise<bigint[]> {
  const chain = createPublicClient({ transport: rpc() })
  const [nft] = query('SELECT contractAddr FROM nfts WHERE id = 2') as { contractAddr: Address }[]
  const address = nft?.contractAddr ?? '0x'
  const read = (buyer: number, id: number) =>
    chain.readContract({
      ...{ abi: erc1155Abi, address, functionName: 'balanceOf' },
      args: [localAccount(buyer).address, BigInt(id)],
    })
  return Promise.all(BUYERS.flatMap((buyer) => NFTS.map((id) => read(buyer, id))))
}

const DEMO_ORDERS = FIRST_ORDER - 1

/** Three batches of two shops: six orders of two pieces, or of three. */
const BALANCES = [12n, 18n, 12n, 18n]

it('delivers nothing twice when the shops repeat their orders, and has whole books', async () => {
  const key = await generateX25519Identity()
  const variables = { BACKUP_KEY: key, BACKUP_PUBLIC_KEY: await identityToRecipient(key) }
  const first = await project.start('dev', READY, ports)
  const token = await project.run('token', ['--master', '--name', 'shop 2'])
  const shops = [tokenIn(first.out), token.out.trim()].map(aShop)
  const retry = () => shops[1]?.retryTransfers({ status: 'queued' })

  const early = await place(shops, 'early')
  await waitForAll(shops, early)
  await setPaused('pause')
  const underWay = await place(shops, 'under way')
  const backup = await project.run('backup', ['shop.age'], variables)
  expect(backup).toMatchObject({ errors: '', status: 0 })
  expect(backup.out).toMatch(/^Wrote shop\.age\.\nNot in it: 2 files of NFTs with 16,088 bytes\./)
  await setPaused('unpause')
  await retry()
  const late = await place(shops, 'late')
  const ids = shops.map((_, i) => [early, underWay, late].flatMap((batch) => batch[i] ?? []))
  const delivered = transactionsOf(await waitForAll(shops, ids))
  expect(await readBalances()).toEqual(BALANCES)
  first.process.kill('SIGINT')
  await once(first.process, 'close')
  const books = readBooks()
  expect(books.orders).toHaveLength(DEMO_ORDERS + 24)

  await rm(join(project.folder, '.wrangler/state/v3'), { recursive: true })
  const restored = await project.run('restore', ['shop.age'], variables)
  expect(restored).toMatchObject({ errors: '', status: 0 })
  expect(readBooks().orders).toHaveLength(DEMO_ORDERS + 16)

  const second = await project.start('dev', READY, ports)
  expect(second.out).toContain('database   up to date')
  expect(second.out).toContain('demo, unchanged')
  // The orders that the backup has keep their ids.
  expect(await place(shops, 'early')).toEqual(early)
  expect(await place(shops, 'under way')).toEqual(underWay)
  const again = await place(shops, 'late')
  await retry()
  const all = shops.map((_, i) => [early, underWay, again].flatMap((batch) => batch[i] ?? []))
  expect(transactionsOf(await waitForAll(shops, all))).toEqual(delivered)
  expect(await readBalances()).toEqual(BALANCES)
  second.process.kill('SIGINT')
  await once(second.process, 'close')
  expect(readBooks()).toEqual(books)
})
