/** Reads summaries of orders from an instance, as lines of JSON or CSV. */
import Papa from 'papaparse'
import * as z from 'zod'
import type { MarketplaceClient, OrderSummary } from '../../../client/src/index.ts'
import { toCell } from '../../../src/http/spreadsheet.ts'
import { Payment, OrderSummary as Summary } from '../../../src/orders/reading/schema.ts'
import { CommandError } from '../../shell/command.ts'

/** Milliseconds after which an order that a call has placed is in the database for certain. */
const SETTLED = 60_000

/** From inclusive, to exclusive. */
export type Period = { from: Date; to: Date }

export type Times = { from: string | undefined; to: string | undefined }

/** Parses the times of options. Throws a `CommandError` that names one. */
export function parsePeriod(times: Times, now: Date): Period {
  const from = parseTime('--from', times.from)
  const to = parseTime('--to', times.to)
  if (from >= to) throw new CommandError('--from must be before --to.')
  // Orders that are being placed have a time already, and would be missing.
  if (now.getTime() - to.getTime() < SETTLED)
    throw new CommandError('--to must be a minute ago or earlier.')
  return { from, to }
}

const Time = z.union([z.iso.date(), z.iso.datetime({ precision: -1 }), z.iso.datetime()])

function parseTime(name: string, value = ''): Date {
  if (Time.safeParse(value).success) return new Date(value)
  throw new CommandError(
    `${name} must be a day or a time in UTC, as 2026-01-31 or 2026-01-31T12:00:00Z, not "${value}".`,
  )
}

/**
 * Yields the orders of a period in pages, newest first. Its orders are fixed, so others that are
 * placed meanwhile change nothing.
 */
export async function* readOrders(client: MarketplaceClient, { from, to }: Period) {
  const [createdFrom, createdTo] = [from.toISOString(), to.toISOString()]
  const query = { createdFrom, createdTo, fields: 'summary', limit: 100 } as const
  for await (const { orders } of client.pages('listOrders', query)) yield orders
}

const { paid: _, ...summaryFields } = Summary.unwrap().shape
const paidFields = Payment.unwrap().shape
const columns = Object.keys(summaryFields) as (keyof typeof summaryFields)[]
const paidColumns = Object.keys(paidFields) as (keyof typeof paidFields)[]

/** Returns a line of CSV (RFC 4180), without its line feed. Without an order, the names. */
export function toCsv(order?: OrderSummary): string {
  const cells = [
    ...columns.map((name) => (order ? describe(order[name]) : name)),
    // A column for each, for bookkeeping.
    ...paidColumns.map((name) => (order ? describe(order.paid?.[name] ?? null) : `paid.${name}`)),
  ]
  return `${Papa.unparse([cells])}\r`
}

function describe(value: OrderSummary[keyof OrderSummary]): string {
  if (value === null) return ''
  // A customer may have written a formula.
  return typeof value === 'object' ? JSON.stringify(value) : toCell(String(value))
}
