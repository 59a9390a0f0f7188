/** Whether somebody may list pieces of a token: `docs/decisions.md`, "Who lists". */
import { type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { holdsPieces, ownsContract } from '../chain/holding.ts'
import type { Guard } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { orderableStatuses, type SaleObstacle } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { describeReason, explain } from '../delivery/reasons.ts'
import { checkSales, judgeSale, type Sale, type SellingSettings } from '../delivery/sales.ts'
import type { Network } from '../env.ts'
import { isOnChain, isWallet } from '../ethereum/token.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, invalidField, rejected, tryLater } from '../http/errors.ts'
import { quotaOf } from '../http/guard.ts'
import { creatorLimits } from '../limits.ts'

/** What is listed: a token of a contract, of a person. */
export type Token = {
  network: string
  contract: string
  tokenId: string | null
  fulfilment: 'transfer' | 'mint'
}

/** A user with the linked wallet. */
type Holder = { id: number; wallet: string; walletChainId: number }

/** Milliseconds that nodes have for all that is asked. */
const TIMEOUT = 10_000

const states = `'${orderableStatuses.join(`', '`)}'`

/**
 * The pieces of a token that other records of a wallet offer, that are reviewed, or that were sold and are not
 * delivered. `except`: the external id of the record itself, of which only what was sold counts.
 */
const promisedSql = (
  { network, contract, tokenId }: Token,
  { wallet, hasTreasury, except }: { wallet: string; hasTreasury: boolean; except: string },
): SQL<number> => {
  const isToken = sql`n.contractNetwork = ${network} AND n.contractAddr = ${contract} AND n.tokenId = ${tokenId}
    AND n.fulfilment = 'transfer'`
  return sql`(coalesce((SELECT sum(n.availableAmount) FROM nfts n JOIN users c ON c.id = n.creatorId
      WHERE ${isToken} AND n.externalId <> ${except} AND n.deletedAt IS NULL
        AND (n.status IN (${sql.raw(states)}) OR EXISTS (SELECT 1 FROM proposals p
          WHERE p.kind = 'nft' AND p.subjectId = n.id AND p.state = 'in_review'))
        AND iif(n.heldBySeller, c.ethereumPublicAddr = ${wallet}, NOT ${hasTreasury} AND EXISTS (
          SELECT 1 FROM listings l JOIN users s ON s.id = l.sellerId
          WHERE l.nftId = n.id AND s.ethereumPublicAddr = ${wallet}))), 0)
    + coalesce((SELECT sum(i.quantity) FROM users s CROSS JOIN orderItems i ON i.sellerId = s.id
      CROSS JOIN nfts n ON n.id = i.nftId CROSS JOIN deliveries d ON d.id = i.id
      WHERE s.ethereumPublicAddr = ${wallet} AND s.ethereumPublicAddr <> '' AND ${isToken}
        AND (n.heldBySeller OR NOT ${hasTreasury})
        AND d.state IN ('awaiting_wallet', 'queued', 'in_flight', 'failed')), 0))`
}

type ProofCtx = Ctx & { settings: SellingSettings }

/** `pieces`: of the token that this record offers. */
type Question = { token: Token & { pieces: number }; holder: Holder; externalId: string }

/**
 * Throws unless all configured nodes say that the wallet holds the pieces, or may mint them, and that a delivery
 * passes: `wallet_required`, `not_held`, `mint_not_permitted`, `not_deliverable`, `network_not_found`, `try_later`.
 * Returns the guards of the transaction that puts them on sale.
 */
export async function proveToken(
  { db, caller, now, settings }: ProofCtx,
  { token, holder, externalId }: Question,
): Promise<Guard[]> {
  const network = settings.NETWORKS[token.network]
  if (!network) throw unknownNetwork()
  const { tokenId } = token
  if (tokenId === null) throw invalidField('tokenId', 'is required to publish')
  const promised = promisedSql(token, {
    wallet: holder.wallet,
    hasTreasury: network.treasury !== undefined,
    except: externalId,
  })
  const questions = takeQuotas(
    db,
    now,
    caller.role === 'master' ? [] : [quotaOf(creatorLimits.questions, caller.userId)],
  )
  const { rows } = await writeAs(db, caller, questions.guards, {
    uses: questions.uses,
    rows: raw<{ others: number; isPermitted: 0 | 1 }>(db)`SELECT ${promised} AS others,
      EXISTS (SELECT 1 FROM mintPermissions WHERE userId = ${holder.id}
        AND network = ${token.network} AND contract = ${token.contract}) AS isPermitted`,
  })
  const { others = 0, isPermitted = 0 } = rows[0] ?? {}
  const pieces = token.pieces + others
  const isTransfer = token.fulfilment === 'transfer'
  if (isTransfer || !isPermitted) requireWallet(network, holder)
  // First, because it also says what is wrong with the contract.
  const sale = { ...token, seller: holder.wallet, heldBySeller: true, pieces: 1 }
  const obstacle = await trySale(settings, network, now, sale)
  if (obstacle === 'holder_has_no_token') throw notHeld(pieces)
  if (obstacle) throw new ApiError('not_deliverable', describeReason(explain(obstacle)) ?? '')
  if (isTransfer) await requireHeld(network, holder, { ...token, tokenId, pieces })
  else if (!isPermitted) await requireOwner(network, holder, token)
  return isTransfer ? [{ when: sql`${promised} > ${others}`, error: () => notHeld(pieces) }] : []
}

function requireWallet({ chainId }: Network, { wallet, walletChainId }: Holder): void {
  if (!isWallet(wallet) || !isOnChain(walletChainId, chainId))
    throw new ApiError(
      'wallet_required',
      'link a wallet that works on the network of the token first',
    )
}

async function requireHeld(
  network: Network,
  holder: Holder,
  { contract, tokenId, pieces }: { contract: string; tokenId: string; pieces: number },
): Promise<void> {
  const asked = { ...holder, contract, tokenId, pieces: BigInt(pieces) }
  const isHeld = await holdsPieces(network, asked)
  if (isHeld === null) throw notTold()
  if (!isHeld) throw notHeld(pieces)
}

async function requireOwner(network: Network, holder: Holder, token: Token): Promise<void> {
  const isOwner = await ownsContract(network, { ...holder, contract: token.contract })
  if (isOwner === null) throw notTold()
  if (!isOwner)
    throw new ApiError(
      'mint_not_permitted',
      'only the owner or an administrator of the contract lists what is to be minted: ask the operator for a permission',
    )
}

/** Returns why nothing could be delivered, if all nodes say the same. */
async function trySale(
  settings: SellingSettings,
  network: Network,
  now: Date,
  sale: Sale,
): Promise<SaleObstacle | null> {
  const [tried] = await checkSales(settings, [sale], now, AbortSignal.timeout(TIMEOUT))
  const verdict = judgeSale(network, tried?.told ?? [])
  return verdict.is === 'impossible' ? verdict.obstacle : null
}

const unknownNetwork = () =>
  rejected([{ path: 'network', code: 'network_not_found', message: 'is not configured' }])

const notTold = () => tryLater('not all nodes of the network tell whose the token is')

const notHeld = (pieces: number) =>
  new ApiError(
    'not_held',
    `the linked wallet does not hold the ${pieces} pieces that are listed, with those that are not delivered yet`,
  )
