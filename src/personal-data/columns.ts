/** The columns to select. Answers are allow-lists: a column that is not named here is never read. */
import { columnsOf } from '../db/columns.ts'
import { auditLog } from '../db/schema/operations.ts'
import { addresses, emailLinks, tokens, users } from '../db/schema/users.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import { buyerColumns } from '../orders/columns.ts'

export const personColumns = {
  ...buyerColumns,
  ...columnsOf(users, ['externalId', 'walletChainId', 'identityHash', 'avatarKey']),
}

export const bookColumns = columnsOf(addresses, [
  'id',
  'kind',
  'origin',
  'name',
  'street',
  'postal',
  'city',
  'country',
  'companyName',
  'taxId',
  'email',
  'mobilePhone',
  'isDefault',
  'createdAt',
  'updatedAt',
  'deletedAt',
])

export const tokenColumns = columnsOf(tokens, [
  'id',
  'kind',
  'role',
  'scope',
  'name',
  'namespace',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
  'rolledAt',
  'browser',
  'country',
])

export const linkColumns = columnsOf(emailLinks, ['email', 'client', 'createdAt', 'expiresAt'])

export const endpointColumns = columnsOf(webhookEndpoints, [
  'id',
  'role',
  'url',
  'events',
  'failingSince',
  'disabledAt',
  'createdAt',
  'updatedAt',
])

export const actionColumns = columnsOf(auditLog, [
  'at',
  'tokenName',
  'action',
  'subject',
  'details',
])
