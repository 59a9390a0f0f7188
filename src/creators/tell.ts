/** Tells who lists something what was decided. */
import type { Context } from 'hono'
import type { AppWithCaller } from '../http/endpoint.ts'
import { mailReview } from '../mail/mail.ts'
import type { Proposal } from './review.ts'

/** Mails after the response. `reason`: why it was rejected; null if it was approved. */
export function tellDecision<E extends AppWithCaller>(
  c: Context<E>,
  { email, locale, title }: Proposal,
  reason: string | null,
): void {
  const review = { title, reason, locale }
  if (email) c.executionCtx.waitUntil(mailReview({ email: c.env.EMAIL, ...c.var }, email, review))
}
