/** Paid order items whose transfer has not begun, as the transaction of an order leaves them. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { bytesToHex, getAddress } from 'viem'
import { users } from '../../../src/db/schema/users.ts'
import type { Chain } from '../chain/chain.ts'
import { aListing, anAddress, anNft, aUser, db } from '../makers.ts'

export type Standard = 'erc721' | 'erc1155'

export type Fulfilment = 'transfer' | 'mint'

/**
 * What is sold. The pieces of ERC-1155 are all of token 1, or of token 2 if they are minted;
 * ERC-721 tokens count up from 0.
 */
export type Sale = {
  standard: Standard
  /** Default: `transfer`. */
  fulfilment?: Fulfilment
  /** Whether the seller holds it, also where the network has a treasury. Default: false. */
  heldBySeller?: boolean
  /** 1 unless told; more makes sense for ERC-1155 only. */
  quantity?: number
  tokenId?: string
  /** Instead of the chain's own contract. */
  contract?: string
  /** Instead of the chain's own name. */
  network?: string
  /** Instead of a wallet that nobody else buys with; null for a buyer without one. */
  recipient?: string | null
  /** The chain of a recipient that is a contract wallet. */
  recipientChainId?: number
  /** Who placed the order, instead of the shop of all others. */
  placer?: string
}

/** `id` is that of the order item and of its transfer. */
export type PaidItem = Required<Sale> & {
  id: number
  orderId: number
  key: `0x${string}`
  /** Null if the network is not configured. */
  chainId: number | null
}

/** Sales in one statement: a bound parameter may be no longer than 2 MB. */
const SALES_A_BATCH = 1000

let wallets = 0
const aWallet = () =>
  getAddress(`0x${(++wallets).toString(16).padStart(39, '0').padStart(40, 'b')}`)

const sold = new Map<string, number>()
/** The next ERC-721 token of the contract. */
function nextToken(contract: string): string {
  const tokenId = sold.get(contract) ?? 0
  sold.set(contract, tokenId + 1)
  return `${tokenId}`
}

/** The parts of a chain that selling needs. */
type Market = Pick<Chain, 'name' | 'chainId' | 'contracts' | 'seller'> &
  Partial<Pick<Chain, 'mintable'>>

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A market on a chain that no node serves. */
export const aMarket = (name: string, chainId: number) => ({
  name,
  chainId,
  contracts: { erc721: WALLET, erc1155: WALLET } as const,
  seller: WALLET as typeof WALLET,
  proxyUrl: 'http://127.0.0.1:1',
  delivery: WALLET as typeof WALLET,
})

/** One order with one item and its transfer for each sale, a thousand in one transaction. */
export async function paidItems<const Sales extends readonly Sale[]>(
  market: Market,
  sales: Sales,
): Promise<{ -readonly [Position in keyof Sales]: PaidItem }> {
  const seller = await sellerOn(market)
  const buyer = await aUser()
  const { id: addressId } = await anAddress(buyer)
  const items: PaidItem[] = []
  for (let i = 0; i < sales.length; i += SALES_A_BATCH) {
    const written = sales.slice(i, i + SALES_A_BATCH).map((sale) => sold721or1155(market, sale))
    items.push(...(await write(written, { sellerId: seller.id, buyerId: buyer.id, addressId })))
  }
  return items as { -readonly [Position in keyof Sales]: PaidItem }
}

export async function aPaidItem(market: Market, sale: Sale): Promise<PaidItem> {
  const [item] = await paidItems(market, [sale])
  return item
}

/** The user whose wallet holds the chain's tokens. */
export async function sellerOn({ seller }: Pick<Chain, 'seller'>) {
  const ethereumPublicAddr = getAddress(seller)
  const known = await db
    .select()
    .from(users)
    .where(eq(users.ethereumPublicAddr, ethereumPublicAddr))
  return known[0] ?? aUser({ ethereumPublicAddr })
}

/** An order of one piece that a buyer with an address may place as often as it likes. */
export async function anUnlimitedOrder(chain: Chain) {
  const nft = await anNft(await sellerOn(chain), {
    contractNetwork: chain.name,
    contractAddr: chain.contracts.erc1155,
    amountType: 'unlimited',
  })
  const { id: listingId } = await aListing(nft)
  const buyer = await aUser()
  await anAddress(buyer)
  return { nftId: nft.id, listingId, quantity: 1, buyerUserId: buyer.id }
}

function sold721or1155(market: Market, sale: Sale): Chosen {
  const { standard, fulfilment = 'transfer' } = sale
  const { [standard]: token } = (fulfilment === 'mint' && market.mintable) || market.contracts
  const contract = sale.contract ?? getAddress(token)
  const counted = () => nextToken(`${market.chainId} ${contract}`)
  return {
    quantity: 1,
    recipient: sale.recipient === undefined ? aWallet() : sale.recipient,
    recipientChainId: 0,
    placer: 'master:shop',
    network: market.name,
    chainId: sale.network && sale.network !== market.name ? null : market.chainId,
    contract,
    fulfilment,
    heldBySeller: false,
    tokenId:
      sale.tokenId ?? (standard === 'erc721' ? counted() : fulfilment === 'mint' ? '2' : '1'),
    ...sale,
  }
}

type Chosen = Required<Sale> & { chainId: number | null }
type Parties = { sellerId: number; buyerId: number; addressId: number }

async function write(sales: Chosen[], parties: Parties): Promise<PaidItem[]> {
  const [highest] = await env.DB.batch<{ id: number }>([
    env.DB.prepare(
      `SELECT max((SELECT coalesce(max(id), 0) FROM orders),
                  (SELECT coalesce(max(id), 0) FROM nfts)) AS id`,
    ),
  ])
  const base = (highest?.results[0]?.id ?? 0) + 1
  // One id serves the NFT, its listing, the order, its item and the transfer.
  const items = sales.map((sale, i) => ({
    ...sale,
    id: base + i,
    orderId: base + i,
    key: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
  }))
  const rows = JSON.stringify(items)
  const now = new Date().toISOString()
  const insert = (sql: string, ...values: unknown[]) =>
    env.DB.prepare(sql).bind(rows, now, ...values)
  await env.DB.batch([
    insert(
      `INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, creatorId, contractAddr,
         contractName, contractNetwork, payload, price, priceEths, priceCurrency, title, tokenId,
         fulfilment, heldBySeller, status, releaseAt, createdAt, updatedAt, changedAt)
       SELECT value ->> 'id', value ->> 'id', 100, 99, '', ?3, value ->> 'contract', value ->> 'standard',
         value ->> 'network', '{"amountType":"limited"}', 100, '0.1', 'EUR', 'A picture',
         value ->> 'tokenId', value ->> 'fulfilment', value ->> 'heldBySeller', 'released', ?2, ?2, ?2, ?2 FROM json_each(?1)`,
      parties.sellerId,
    ),
    insert(
      `INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type, priceCurrency,
         sellerId, nftId, createdAt, updatedAt)
       SELECT value ->> 'id', value ->> 'id', 100, '0.1', '100000000000000000', 1, 'regular', 'EUR', ?3,
         value ->> 'id', ?2, ?2 FROM json_each(?1)`,
      parties.sellerId,
    ),
    insert(
      `INSERT INTO orders (id, buyerId, billingAddressId, payprovWebhookToken, claimSecret,
         totalPriceCents, totalPriceCurrency, totalPriceEth, createdAt, namespace)
       SELECT value ->> 'id', ?3, ?4, 'webhook', 'claim', 100, 'EUR', '0.1', ?2, 'master:test' FROM json_each(?1)`,
      parties.buyerId,
      parties.addressId,
    ),
    insert(
      `INSERT INTO orderItems (id, orderId, nftId, listingId, sellerId, quantity, priceCents, priceEths,
         ethRecipient, recipientChainId, priceCurrency)
       SELECT value ->> 'id', value ->> 'id', value ->> 'id', value ->> 'id', ?3, value ->> 'quantity',
         100, '0.1', value ->> 'recipient', value ->> 'recipientChainId', 'EUR'
       FROM json_each(?1)`,
      parties.sellerId,
    ),
    insert(
      `INSERT INTO deliveries (id, "key", chainId, state, awaits, queuedAt, dueAt, placer, createdAt,
         updatedAt)
       SELECT value ->> 'id', value ->> 'key', value ->> 'chainId',
         iif(value ->> 'recipient' IS NULL, 'awaiting_wallet', 'queued'),
         iif(value ->> 'recipient' IS NULL, ?3, NULL),
         iif(value ->> 'recipient' IS NULL, NULL, ?2), iif(value ->> 'recipient' IS NULL, NULL, ?2),
         value ->> 'placer', ?2, ?2 FROM json_each(?1)`,
      parties.buyerId,
    ),
  ])
  return items
}

/** The items that a buyer has ordered through the API, all of one standard. */
export async function itemsOf(buyer: { id: number }, standard: Standard): Promise<PaidItem[]> {
  const { results } = await env.DB.prepare(
    `SELECT i.id, i.orderId, i.quantity, i.ethRecipient AS recipient, i.recipientChainId, n.tokenId,
       n.contractAddr AS contract, n.contractNetwork AS network, n.fulfilment, n.heldBySeller, d."key", d.chainId,
       d.placer
     FROM orders o JOIN orderItems i ON i.orderId = o.id JOIN nfts n ON n.id = i.nftId
       JOIN deliveries d ON d.id = i.id
     WHERE o.buyerId = ? ORDER BY i.id`,
  )
    .bind(buyer.id)
    .all<Omit<PaidItem, 'standard'>>()
  return results.map((item) => ({ ...item, standard }))
}
