import type { Context } from 'hono'
import type { AppWithCaller } from '../http/endpoint.ts'
import { type AccountEvent, mailEvent } from '../mail/mail.ts'

/** Mails the owner after the response. An account without an e-mail address gets none. */
export function notifyOwner<E extends AppWithCaller>(
  c: Context<E>,
  owner: { email: string; locale?: string },
  event: AccountEvent,
): void {
  if (owner.email)
    c.executionCtx.waitUntil(mailEvent({ email: c.env.EMAIL, ...c.var }, owner, event))
}
