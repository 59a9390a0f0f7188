/**
 * `npm run export -- FILE.jsonl`: writes the catalogue to a file that `npm run import` reads. With
 * `--user N`, writes the data of a person instead, and with `--orders` the orders of a time.
 */

import type { Answer } from '../../client/src/index.ts'
import { localNow } from '../local/clock.ts'
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { writeLines } from '../shell/files.ts'
import {
  instanceOptions,
  instanceVariables,
  parseInstance,
  withInstance,
} from '../shell/instance.ts'
import { readCatalogue } from './catalogue/export.ts'
import { hideProgress, showProgress } from './catalogue/report.ts'
import { withDatabase } from './database/source.ts'
import { type Period, parsePeriod, readOrders, toCsv } from './orders/export.ts'

export const command = defineCommand(
  {
    name: 'npm run export',
    purpose:
      'Writes users, NFTs and listings to a file that `npm run import` reads; with --user, everything that is stored of a person; with --orders, all orders of a time, newest first. Only its owner can read the file.',
    file: {
      value: 'FILE',
      help: 'The file to write: JSON Lines, JSON with --user, or CSV with --csv. It is replaced if it exists.',
    },
    options: {
      user: { value: 'N', help: 'Write the data of this user.' },
      orders: { help: 'Write orders, in short.' },
      from: {
        value: 'TIME',
        help: 'With --orders, required: the first time (UTC), as 2026-01-31T00:00:00Z.',
      },
      to: {
        value: 'TIME',
        help: 'With --orders, required: the first time after them, a minute ago or earlier.',
      },
      csv: { help: 'With --orders: CSV, for spreadsheets.' },
      ...instanceOptions,
    },
    variables: {
      MARKETPLACE_TOKEN: instanceVariables.MARKETPLACE_TOKEN.replace(
        'With',
        'With --user or --orders, and',
      ),
    },
    example: 'npm run export -- catalogue.jsonl',
  },
  async ({ user, orders, from, to, csv, ...instance }, file: string) => {
    const environment = parseInstance(instance)
    if (user !== undefined && orders) throw new UsageError('--user is without --orders.')
    if (!orders && (csv || from || to))
      throw new UsageError('--from, --to and --csv need --orders.')
    if (orders) {
      const now = environment ? new Date() : await localNow()
      return exportOrders({ ...parsePeriod({ from, to }, now), csv }, environment, file)
    }
    if (user !== undefined) return exportPerson(parseInteger('--user', user, 1), environment, file)
    const count = await withDatabase(environment, (db) => writeLines(file, readCatalogue(db)))
    console.log(`Wrote ${count} records to ${file}.`)
  },
)

/** Joins the pages of orders and of their summaries. */
function exportPerson(id: number, environment: string | undefined, file: string) {
  return withInstance(environment, async (client) => {
    let orders: Answer<'getPersonalData'>['orders'] = []
    let summaries: Answer<'getPersonalData'>['summaries'] = []
    for await (const { nextCursor, ...page } of client.pages('getPersonalData', { id })) {
      orders = [...orders, ...page.orders]
      summaries = [...summaries, ...page.summaries]
      const person = { ...page, orders, summaries }
      if (!nextCursor) await writeLines(file, [JSON.stringify(person, null, 2)])
    }
    console.log(`Wrote the data of user ${id}, with ${orders.length} orders, to ${file}.`)
  })
}

function exportOrders(
  { csv, ...period }: Period & { csv: boolean },
  environment: string | undefined,
  file: string,
) {
  const [from, to] = [period.from.getTime(), period.to.getTime()]
  return withInstance(environment, async (client) => {
    let count = 0
    async function* lines() {
      if (csv) yield toCsv()
      for await (const orders of readOrders(client, period)) {
        for (const order of orders) yield csv ? toCsv(order) : JSON.stringify(order)
        count += orders.length
        const reached = Date.parse(orders.at(-1)?.createdAt ?? '') || from
        showProgress((to - reached) / (to - from), `${count} orders`)
      }
    }
    await writeLines(file, lines()).finally(hideProgress)
    console.log(`Wrote ${count} orders to ${file}.`)
  })
}

if (import.meta.main) await start(command)
