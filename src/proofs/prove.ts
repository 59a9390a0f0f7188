/**
 * Proofs of deliveries, for those who may read the order. They are signed with keys of their own, and
 * with a `typ` and an audience of their own: no proof is a token, and no token a proof. See
 * docs/decisions.md, "Proofs".
 */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type JWTPayload, SignJWT } from 'jose'
import { getAddress } from 'viem'
import { readAs } from '../auth/access.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { prepared } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import { hashContent } from '../ethereum/contract.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { isVisibleSql, type ViewerValues, viewerValues } from '../orders/viewer.ts'

/** The `aud` of a proof: those who check it, whoever they are. */
export const AUDIENCE = 'delivery-proof'

/** Returns the JWS of a proof (RFC 7515, compact). Ed25519 is deterministic. */
export const signProof = ({ PROOF_KEYS }: Settings, proof: JWTPayload): Promise<string> => {
  const [key] = PROOF_KEYS.keys
  return new SignJWT(proof)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'delivery-proof+jwt', kid: key.kid })
    .sign(key)
}

type Values = ViewerValues & { orderId: number }

/** Of the only item of an order. */
const selectDelivery = prepared((db, values: Values) =>
  db
    .select({
      orderItemId: orderItems.id,
      state: deliveries.state,
      deliveryKey: deliveries.key,
      chainId: deliveries.chainId,
      contract: sql`coalesce(${transactions.contract}, ${deliveries.contract})` as SQL<
        string | null
      >,
      token: nfts.contractAddr,
      to: orderItems.ethRecipient,
      tokenId: nfts.tokenId,
      amount: deliveries.deliveredAmount,
      transaction: transactions.hash,
      blockNumber: transactions.block,
      blockHash: transactions.blockHash,
      finalAt: deliveries.updatedAt,
    })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .innerJoin(nfts, eq(nfts.id, orderItems.nftId))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .where(and(eq(orders.id, values.orderId), isVisibleSql(values))),
)

/**
 * Returns the proof that an order was delivered: the same each time, until a reorganization has it
 * delivered again or another key signs.
 */
export async function proveDelivery(
  { db, caller, settings }: Pick<Ctx, 'db' | 'caller'> & { settings: Settings },
  orderId: number,
) {
  const { deliveries } = await readAs(db, caller, {
    deliveries: selectDelivery(db, { orderId, ...viewerValues(caller) }),
  })
  const [row] = deliveries
  if (!row) throw new ApiError('order_not_found', `order ${orderId} does not exist`)
  const proof = toDelivery(orderId, row, settings)
  return { proof, jws: await signProof(settings, proof) }
}

type Row = ReturnType<typeof selectDelivery>['_']['result'][number]

function toDelivery(orderId: number, row: Row, { PUBLIC_URL, NETWORKS }: Settings) {
  const { state, finalAt, token, to, tokenId, amount, ...known } = row
  const { chainId } = row
  // An item that was found on the chain may have had no transaction.
  const configured = Object.values(NETWORKS).find((network) => network.chainId === chainId)
  const contract = row.contract ?? configured?.delivery
  if (state !== 'transferred')
    throw new ApiError('not_delivered', `order ${orderId} is not delivered: it is ${state}`)
  // Removing a person's data removes the recipient.
  if (!chainId || !contract || !to || !tokenId || amount === null)
    throw new ApiError('conflict', `too little is stored of order ${orderId} to prove its delivery`)
  const item = { token: getAddress(token), to: getAddress(to), tokenId: BigInt(tokenId) }
  return {
    iss: new URL(PUBLIC_URL).origin,
    aud: AUDIENCE,
    iat: Math.floor(Date.parse(finalAt) / 1000),
    orderId,
    ...known,
    chainId,
    contract: getAddress(contract),
    content: { ...item, tokenId, amount },
    contentHash: hashContent({ ...item, amount: BigInt(amount) }),
  }
}
