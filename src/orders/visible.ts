/** What a caller may see of an order. Lists what is visible, so a new field is hidden by default. */
import type { Caller } from '../http/context.ts'
import type { BuyerFields, Order } from './answer.ts'

/** Whose view of an order it is. */
export type Viewer = Pick<Caller, 'role' | 'userId'>

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Hides the webhook token from everyone but master tokens. */
export const visibleOrder = <T extends { payprovWebhookToken: string }>(
  { role }: Viewer,
  order: T,
): T => (role === 'master' ? order : { ...order, payprovWebhookToken: NIL_UUID })

/** Hides private fields of the buyer from everyone but the buyer and master tokens. */
export function visibleBuyer({ role, userId }: Viewer, buyer: BuyerFields): Order['buyer'] {
  if (role === 'master' || userId === buyer.id) return { ...buyer, walletNonce: null }
  const { id, name, username, ethereumPublicAddr, viewMode, createdAt, updatedAt } = buyer
  return {
    id,
    name,
    username,
    ethereumPublicAddr,
    viewMode,
    createdAt,
    updatedAt,
    approved: false,
    companyUser: false,
    email: '',
    provider: '',
    chatServiceId: null,
    roleId: null,
    walletNonce: null,
    paymentConnectId: null,
    payprovExternalId: null,
    onrampId: null,
    newsletterAgreement: false,
    locale: '',
    approvedAt: null,
    lastAccessAt: null,
    onboardedAt: null,
    removedAt: null,
    ipAddress: '',
  }
}
