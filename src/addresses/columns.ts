/** The columns to select. Answers are allow-lists: a column that is not named here is never read. */
import { columnsOf } from '../db/columns.ts'
import { addresses } from '../db/schema/users.ts'
import type { Addresses } from './answer.ts'

const place = ['street', 'postal', 'city', 'country', 'companyName', 'taxId'] as const
const times = ['createdAt', 'updatedAt', 'deletedAt'] as const

const delivery = ['id', 'userId', 'name', ...place, 'email', 'mobilePhone', ...times] as const
const billing = ['id', 'userId', 'isDefault', ...place, ...times] as const

/** By kind. */
export const addressColumns = {
  delivery: {
    ...columnsOf(addresses, delivery satisfies readonly (keyof Addresses['delivery'])[]),
    default: addresses.isDefault,
  },
  billing: columnsOf(addresses, billing satisfies readonly (keyof Addresses['billing'])[]),
}
