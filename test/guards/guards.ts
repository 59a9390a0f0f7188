import { access } from './access.ts'
import { contract } from './contract.ts'
import { data } from './data.ts'
import { delivery } from './delivery.ts'
import type { Guard } from './guard.ts'
import { orders } from './orders.ts'
import { requests } from './requests.ts'
import { signIn } from './sign-in.ts'
import { webhooks } from './webhooks.ts'

/** The guards that `npm run test:guards` breaks, one at a time. */
export const guards: readonly Guard[] = [
  ...access,
  ...signIn,
  ...requests,
  ...orders,
  ...data,
  ...delivery,
  ...webhooks,
  ...contract,
]
