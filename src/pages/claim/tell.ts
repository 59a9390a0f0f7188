import type { Context } from 'hono'
import type { AppWithCaller } from '../../http/endpoint.ts'
import { isOptedOut } from '../../mail/mail.ts'
import { notifyOwner } from '../notify-owner.ts'

/** Tells the owner of an account that a claim has linked a wallet, unless the mail of the delivery does. */
export async function tellOfWallet<E extends AppWithCaller>(
  c: Context<E>,
  owner: { email: string; locale: string },
) {
  const { MAX_ORDER_MAILS_PER_DAY } = c.var.settings
  if (MAX_ORDER_MAILS_PER_DAY === 0 || (await isOptedOut(c.var, owner.email)))
    notifyOwner(c, owner, { type: 'wallet-linked' })
}
