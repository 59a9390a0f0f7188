/** Stores what is sold in a campaign: its buyers, tokens, NFTs and listings. */
import { env } from 'cloudflare:workers'
import { type Address, getAddress } from 'viem'
import * as z from 'zod'
import { hashIdentity } from '../../../../src/identity/namespace.ts'
import type { Chain } from '../../chain/chain.ts'
import { sellerOn } from '../items.ts'
import type { ExpectedItem } from '../oracle.ts'
import type { Dice } from './dice.ts'
import { type Draft, drawSales } from './drafts.ts'

export type Sale = Omit<ExpectedItem, 'id'> &
  Pick<Draft, 'network' | 'obstacle' | 'isFickle' | 'isLate'> & {
    recipient: Address
    nftId: number
    buyerId: number
  }

type Sales = {
  sales: Sale[]
  /** Tokens that have a limit in the Delivery contract. */
  limited: Address[]
  /** Recipients and tokens that burn gas at times. */
  fickle: Address[]
}

/** Pieces: more than anybody orders. */
export const AMPLE = 2n ** 40n

/**
 * Draws sales, and creates their buyers and NFTs. Blocks must be mined automatically; after this,
 * they are not.
 */
export async function makeSales(chain: Chain, dice: Dice, size: number): Promise<Sales> {
  const tokens = {
    ineffective: await chain.aMaliciousToken({ answer: 'accepts' }),
    burning: await chain.aMaliciousToken({ answer: 'burns all gas' }),
    withoutRole: await chain.aTokenWithoutMinter(),
    withoutLimit: await chain.aTokenWithoutMinter(),
  }
  const { ineffective, burning, withoutRole } = tokens
  const limited = [...Object.values(chain.mintable), ineffective, burning, withoutRole]
  for (const token of limited) await chain.asOwner('setTokenLimit', token, AMPLE, AMPLE)
  const drafts = drawSales(chain, dice, size, tokens)
  const recipients: Address[] = []
  for (const { answer } of drafts)
    recipients.push(answer ? await chain.aRecipient(answer) : aWallet())
  await chain.setAutomine(false)
  const isStock = ({ contract }: Draft) => contract === getAddress(chain.contracts.erc721)
  for (let minted = 0; minted < drafts.filter(isStock).length; minted++) {
    await chain.erc721AsSeller('mint', chain.seller)
    if (minted % MINTED_PER_BLOCK === 0) await chain.mine()
  }
  while (await hasPending(chain)) await chain.mine()
  const sales = await store(
    chain,
    drafts.map((draft, i) => ({ ...draft, recipient: recipients[i] ?? aWallet() })),
  )
  const fickle = sales.filter(({ isFickle }) => isFickle).map(({ recipient }) => recipient)
  return { sales, limited, fickle: [...fickle, ineffective] }
}

const MINTED_PER_BLOCK = 20

/** Whether transactions wait for a block. */
async function hasPending(chain: Chain): Promise<boolean> {
  const { pending } = z.object({ pending: z.string() }).parse(await chain.rpc('txpool_status'))
  return Number(pending) > 0
}

let wallets = 0
const aWallet = () => getAddress(`0xc1${(++wallets).toString(16).padStart(38, '0')}`)

async function store(
  chain: Chain,
  drafts: readonly (Draft & { recipient: Address })[],
): Promise<Sale[]> {
  const seller = await sellerOn(chain)
  const base = await env.DB.prepare(
    'SELECT max((SELECT max(id) FROM users), (SELECT coalesce(max(id), 0) FROM nfts)) AS id',
  ).first<{ id: number }>()
  // One id for the buyer, the address, the NFT and the listing of a sale.
  const idOf = (i: number) => (base?.id ?? 0) + 1 + i
  const orders = Map.groupBy(drafts, ({ sharedWith }, i) => i - sharedWith)
  const sales = drafts.map((draft, i) => ({
    ...draft,
    id: idOf(i),
    nftId: idOf(i - draft.sharedWith),
    // Of what is minted there is no piece more than is ordered.
    amount: draft.isUnlimited
      ? 1
      : draft.fulfilment === 'mint'
        ? (orders.get(i) ?? []).reduce((sum, { quantity }) => sum + quantity, 0)
        : 1000,
    identityHash: hashIdentity('wallet', draft.recipient),
    wallet: draft.isLate || draft.obstacle === 'no wallet' ? '' : draft.recipient,
  }))
  const now = new Date().toISOString()
  const rows = JSON.stringify(sales)
  const insert = (sql: string) => env.DB.prepare(sql).bind(rows, now, seller.id)
  await env.DB.batch([
    // Recipients with code have the same addresses on every chain.
    insert(
      `UPDATE users SET ethereumPublicAddr = '', identityHash = 'earlier campaign ' || id
       WHERE ?2 AND ?3 AND identityHash IN (SELECT value ->> 'identityHash' FROM json_each(?1))`,
    ),
    insert(
      `INSERT INTO users (id, identityHash, provider, ethereumPublicAddr, createdAt, updatedAt)
       SELECT value ->> 'id', value ->> 'identityHash', 'wallet', value ->> 'wallet', ?2, ?2
       FROM json_each(?1) WHERE ?3`,
    ),
    insert(
      `INSERT INTO addresses (id, kind, userId, createdAt, updatedAt)
       SELECT value ->> 'id', 'billing', value ->> 'id', ?2, ?2 FROM json_each(?1) WHERE ?3`,
    ),
    insert(
      `INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, creatorId, contractAddr,
         contractName, contractNetwork, payload, price, priceEths, priceCurrency, title, tokenId,
         fulfilment, status, releaseAt, createdAt, updatedAt, changedAt)
       SELECT value ->> 'id', value ->> 'id', value ->> 'amount', value ->> 'amount', '', ?3,
         value ->> 'contract', value ->> 'standard', value ->> 'network',
         json_object('amountType', iif(value ->> 'isUnlimited', 'unlimited', 'limited')), 100,
         '0.1', 'EUR', 'A picture', value ->> 'tokenId', value ->> 'fulfilment',
         'released', ?2, ?2, ?2, ?2 FROM json_each(?1) WHERE value ->> 'id' = value ->> 'nftId'`,
    ),
    insert(
      // Never tried before they are ordered: what cannot be delivered is to be sold, too.
      `INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type, priceCurrency,
         sellerId, nftId, checkAt, createdAt, updatedAt)
       SELECT value ->> 'id', value ->> 'id', 100, '0.1', '100000000000000000', 1, 'regular', 'EUR', ?3,
         value ->> 'id', '9999', ?2, ?2 FROM json_each(?1) WHERE value ->> 'id' = value ->> 'nftId'`,
    ),
  ])
  return sales.map(({ id, ...sale }) => ({ ...sale, buyerId: id }))
}
