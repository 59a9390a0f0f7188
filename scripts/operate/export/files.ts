/** The files that `npm run export` writes. */
import type { Answer } from '../../../client/src/index.ts'
import { localNow } from '../../local/clock.ts'
import { writeLines } from '../../shell/files.ts'
import { withInstance } from '../../shell/instance.ts'
import { readCatalogue } from '../catalogue/export.ts'
import { hideProgress, showProgress } from '../catalogue/report.ts'
import { withDatabase } from '../database/source.ts'
import { parsePeriod, readOrders, type Times, toCsv } from '../orders/export.ts'

export async function exportCatalogue(environment: string | undefined, file: string) {
  const count = await withDatabase(environment, (db) => writeLines(file, readCatalogue(db)))
  console.log(`Wrote ${count} records to ${file}.`)
}

/** Joins the pages of orders and of their summaries. */
export function exportPerson(id: number, environment: string | undefined, file: string) {
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

export async function exportOrders(
  { csv, ...times }: Times & { csv: boolean },
  environment: string | undefined,
  file: string,
) {
  const period = parsePeriod(times, environment ? new Date() : await localNow())
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
