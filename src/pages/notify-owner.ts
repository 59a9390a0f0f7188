import type { Context } from 'hono'
import type { App } from '../http/context.ts'
import { log } from '../log.ts'
import { type AccountEvent, mailEvent } from '../mail/mail.ts'

/** Mails the owner after the response. An account without an e-mail address gets none. */
export function notifyOwner<E extends App>(c: Context<E>, to: string, event: AccountEvent): void {
  if (!to) return
  const mail = mailEvent(c.env.EMAIL, c.var.settings, to, event)
  c.executionCtx.waitUntil(
    mail.catch((error) => log.error('mail_failed', { mail: event.type, error })),
  )
}
