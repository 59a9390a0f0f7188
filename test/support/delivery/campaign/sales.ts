/** What is sold in a campaign, and to whom: mostly what can be delivered, some that cannot. */
import { env } from 'cloudflare:workers'
import { type Address, getAddress } from 'viem'
import * as z from 'zod'
import { hashIdentity } from '../../../../src/identity/namespace.ts'
import type { Answer } from '../../../contracts/fixtures.ts'
import type { Chain } from '../../chain/chain.ts'
import { sellerOn } from '../items.ts'
import type { ExpectedItem } from '../oracle.ts'
import type { Dice } from './dice.ts'

/** Why an item cannot be delivered; null if it can. */
type Obstacle =
  | 'hostile recipient'
  | 'no such token'
  | 'token without code'
  | 'token without effect'
  | 'unknown network'
  | 'no wallet'
  | null

/** A recipient with code has an answer; the others are plain accounts. */
type Draft = Omit<ExpectedItem, 'id' | 'recipient'> & {
  network: string
  obstacle: Obstacle
  answer: Answer | null
  /** Whether the buyer links the wallet only later. */
  isLate: boolean
}

export type Sale = Omit<ExpectedItem, 'id'> & {
  recipient: Address
  obstacle: Obstacle
  nftId: number
  buyerId: number
  isLate: boolean
}

const NO_CODE = getAddress('0x00000000000000000000000000000000000c0de0')

const hostileAnswers: readonly [Answer, ...Answer[]] = [
  'refuses',
  'burns all gas',
  'reverts with 100 KB',
  'returns 100 KB',
  'burns gas unless the gas price is 0',
]

/**
 * Draws sales, and creates their buyers and NFTs. Blocks must be mined automatically; after this,
 * they are not.
 */
export async function makeSales(chain: Chain, dice: Dice, size: number): Promise<Sale[]> {
  const ineffective = await chain.aMaliciousToken({ answer: 'accepts' })
  let tokens = 0
  const drafts = Array.from({ length: size }, (): Draft => {
    const edition: Draft = {
      standard: 'erc1155',
      contract: getAddress(chain.contracts.erc1155),
      tokenId: '1',
      quantity: 1 + dice.upTo(9),
      network: chain.name,
      obstacle: null,
      answer: null,
      isLate: false,
    }
    const unique = (tokenId: string): Draft => ({
      ...edition,
      standard: 'erc721',
      contract: getAddress(chain.contracts.erc721),
      tokenId,
      quantity: 1,
    })
    if (dice.chance(0.02)) return { ...unique('99999999'), obstacle: 'no such token' }
    if (dice.chance(0.02)) return { ...edition, network: 'nowhere', obstacle: 'unknown network' }
    if (dice.chance(0.02)) return { ...edition, obstacle: 'no wallet' }
    if (dice.chance(0.01)) return { ...edition, contract: NO_CODE, obstacle: 'token without code' }
    if (dice.chance(0.01))
      return { ...edition, contract: ineffective, obstacle: 'token without effect' }
    const good = dice.chance(0.5) ? unique(`${tokens++}`) : edition
    if (dice.chance(0.06)) {
      const answer = dice.pick(...hostileAnswers)
      return { ...good, obstacle: 'hostile recipient', answer }
    }
    if (dice.chance(0.03)) return { ...good, answer: 'accepts' }
    return { ...good, isLate: dice.chance(0.03) }
  })
  const recipients: Address[] = []
  for (const { answer } of drafts)
    recipients.push(answer ? await chain.aRecipient(answer) : aWallet())
  await chain.setAutomine(false)
  for (let minted = 0; minted < tokens; minted++) {
    await chain.erc721AsSeller('mint', chain.seller)
    if (minted % MINTED_PER_BLOCK === 0) await chain.mine()
  }
  while (await hasPending(chain)) await chain.mine()
  return store(
    chain,
    drafts.map((draft, i) => ({ ...draft, recipient: recipients[i] ?? aWallet() })),
  )
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
  const sales = drafts.map((draft, i) => ({
    ...draft,
    id: (base?.id ?? 0) + 1 + i,
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
         status, releaseAt, createdAt, updatedAt)
       SELECT value ->> 'id', value ->> 'id', 1000, 1000, '', ?3,
         value ->> 'contract', value ->> 'standard', value ->> 'network',
         '{"amountType":"limited"}', 100, '0.1', 'EUR', 'A picture', value ->> 'tokenId',
         'released', ?2, ?2, ?2 FROM json_each(?1)`,
    ),
    insert(
      `INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type, priceCurrency,
         sellerId, nftId, createdAt, updatedAt)
       SELECT value ->> 'id', value ->> 'id', 100, '0.1', '100000000000000000', 1, 'regular', 'EUR', ?3,
         value ->> 'id', ?2, ?2 FROM json_each(?1)`,
    ),
  ])
  return sales.map(({ id, ...sale }) => ({ ...sale, nftId: id, buyerId: id }))
}
