/** The tables of docs/limits.md. */
import {
  catalogueLimits,
  describeLimit,
  type Limit,
  mailLimits,
  operatorLimits,
  orderLimits,
  peopleLimits,
  requestLimits,
  webhookLimits,
} from '../../../src/http/limits.ts'
import { tableOf, withTables } from './tables.ts'

export const limitSections: Record<string, Record<string, Limit>> = {
  Requests: requestLimits,
  Orders: orderLimits,
  People: peopleLimits,
  Mails: mailLimits,
  Webhooks: webhookLimits,
  'Catalogue and marketplace': catalogueLimits,
  Operators: operatorLimits,
}

/** Returns the document with the limits as the Worker has them. */
export const withLimits = (document: string): string =>
  withTables(
    document,
    Object.fromEntries(
      Object.entries(limitSections).map(([title, limits]) => [
        title,
        tableOf(['limit', 'how many', 'then', 'set by'], Object.values(limits).map(rowOf)),
      ]),
    ),
  )

function rowOf(limit: Limit): string[] {
  const { of, at = 'rate_limited', variable, binding } = limit
  const setBy = variable
    ? `the variable \`${variable}\``
    : binding
      ? `\`${binding}\` in \`wrangler.toml\``
      : ''
  const end = /^\w+$/.test(at) ? `\`${at}\`` : at
  return [of, describeLimit(limit), end, setBy]
}
