/** Who may see an order, and what they see of its buyer. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { actsForAll, namespaceOf } from '../../auth/access.ts'
import { type RowOf, shownColumns } from '../../db/columns.ts'
import { orders } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import type { Caller } from '../../http/context.ts'
import { addressOrEmpty, bool, id, orNull, text, time, timestamps } from '../../http/fields.ts'

/** Whose view of an order it is: that of a caller, or of a user. */
export type Viewer = Pick<Caller, 'role' | 'userId' | 'scope' | 'tokenId'>

/** The view of a user, however they call. */
export const viewOf = (userId: number): Viewer => ({
  role: 'user',
  scope: 'read',
  userId,
  tokenId: '',
})

/** The user whose view it is. A token for the orders of a shop is nobody's, but for what belongs to it. */
export const personOf = ({ scope, userId }: Viewer): number | null =>
  scope === 'orders' ? null : userId

export type ViewerValues = {
  /** Null for a token that is for the orders of one shop. */
  userId: number | null
  isMaster: number
  /** Id of a token that is for the orders of one shop: those of its namespace. */
  shopToken: string | null
}

/** The values that say whose view of orders is read. */
export const viewerValues = (viewer: Viewer): ViewerValues => ({
  userId: personOf(viewer),
  isMaster: Number(actsForAll(viewer)),
  shopToken: viewer.scope === 'orders' ? viewer.tokenId : null,
})

/** Whether the viewer may see an order: as a master token, as its shop, as the buyer, or as a seller. */
export const isVisibleSql = ({ userId, isMaster, shopToken }: ViewerValues): SQL =>
  sql`(${isMaster} = 1 OR ${orders.namespace} = ${namespaceOf(shopToken)}
    OR ${orders.buyerId} = ${userId} OR EXISTS (
    SELECT 1 FROM orderItems WHERE orderId = ${orders.id} AND sellerId = ${userId}))`

/** Describes a field that `visibleBuyer` hides. */
const hidden = <T extends z.ZodType>(field: T, otherwise: 'empty' | 'null' | 'false') =>
  field.describe(
    `${field.description} Only for master tokens (without \`orders\`) and the buyer; otherwise ${otherwise}.`,
  )
const hiddenBool = (description: string) => hidden(bool(description), 'false')
const hiddenText = (description: string) => hidden(text(description), 'empty')
const hiddenTimeOrNull = (description: string) => hidden(orNull(time(description)), 'null')

/** What is stored of a buyer. */
export const PersonFields = z.object({
  id: id('User id.'),
  approved: hiddenBool('Whether the marketplace has approved the user.'),
  email: hiddenText('E-mail address; empty if the user has none.'),
  ethereumPublicAddr: addressOrEmpty('Wallet address; empty if the user has none.'),
  name: orNull(text('Name.')),
  provider: hiddenText('How the user signed up: `wallet` or `email`.'),
  roleId: hidden(z.int().nullable().describe('Role: 1 is an administrator.'), 'null'),
  username: orNull(text('User name.')),
  locale: hiddenText('Language, BCP 47, such as `en` or `de-AT`.'),
  approvedAt: hiddenTimeOrNull('Time of approval.'),
  lastAccessAt: hiddenTimeOrNull('Time of the last sign-in.'),
  removedAt: hiddenTimeOrNull('Time of removal; null while the account exists.'),
  ...timestamps(),
  ipAddress: hiddenText('IP address of the last sign-in.'),
})

const alwaysFalse = z.literal(false).describe('Always false.')
const alwaysNull = z.null().describe('Always null.')

export const Buyer = PersonFields.extend({
  companyUser: alwaysFalse,
  chatServiceId: alwaysNull,
  viewMode: z.literal('default').describe('Always `default`.'),
  walletNonce: alwaysNull,
  paymentConnectId: alwaysNull,
  payprovExternalId: alwaysNull,
  onrampId: alwaysNull,
  newsletterAgreement: alwaysFalse,
  onboardedAt: alwaysNull,
}).meta({
  id: 'Buyer',
  description: 'The user who gets the NFTs of an order.',
})

export const buyerColumns = shownColumns(users, PersonFields)

/** What every buyer shows alike. */
const buyerConstants = {
  companyUser: false,
  chatServiceId: null,
  viewMode: 'default',
  walletNonce: null,
  paymentConnectId: null,
  payprovExternalId: null,
  onrampId: null,
  newsletterAgreement: false,
  onboardedAt: null,
} as const

/**
 * Hides private fields of the buyer from everyone but the buyer and master tokens. Lists what is
 * visible, so a new field is hidden by default.
 */
export function visibleBuyer(
  viewer: Viewer,
  buyer: RowOf<typeof buyerColumns>,
): z.infer<typeof Buyer> {
  if (actsForAll(viewer) || personOf(viewer) === buyer.id) return { ...buyer, ...buyerConstants }
  const { id, name, username, ethereumPublicAddr, createdAt, updatedAt } = buyer
  return {
    ...buyerConstants,
    id,
    name,
    username,
    ethereumPublicAddr,
    createdAt,
    updatedAt,
    approved: false,
    email: '',
    provider: '',
    roleId: null,
    locale: '',
    approvedAt: null,
    lastAccessAt: null,
    removedAt: null,
    ipAddress: '',
  }
}
