import { expect } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries, type ReasonCode } from '../../src/db/schema/delivery.ts'
import {
  alarms,
  auditLog,
  findings,
  hourlyOrders,
  networkChecks,
} from '../../src/db/schema/operations.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aShop, sold } from '../orders/shop.ts'
import { aMasterToken, db, findRow, setRow } from '../support/makers.ts'
import { aSignedInVisitor, pageOf, textOf, type Visitor } from '../support/visitor.ts'

/** Reads a page: its HTML, its text, and the text of the section with this heading. */
export async function read(visitor: Visitor, path: string, overrides: Partial<Env> = {}) {
  const { status, html, text } = await pageOf(visitor.get(path, { env: overrides }))
  expect(status).toBe(200)
  const sectionOf = (id: string) =>
    textOf(
      new RegExp(`<h2 id="${id}".*?(?=<h2 id="(?![w-]+-title)|<footer)`, 's').exec(html)?.[0] ?? '',
    )
  return { html, text, sectionOf }
}

type Delivery = Partial<typeof deliveries.$inferInsert>

/** Places an order of one piece, and puts its delivery into a state. */
export async function anItem(values: Delivery, providerId?: string) {
  const { input } = await aShop()
  const name = `shop ${crypto.randomUUID().slice(0, 8)}`
  const token = await aMasterToken(name)
  const { order, item } = await sold(token, { ...input, ...(providerId && { providerId }) })
  await setRow(deliveries, item.id, values)
  return { id: item.id, orderId: order.id, tokenName: name }
}

export const failed = (code: ReasonCode, detail?: string): Delivery => ({
  state: 'failed',
  ...explain(code, detail),
  dueAt: null,
})

export const stateOf = async (id: number) => (await findRow(deliveries, id))?.state

/** Pieces of the item's NFT that are left. */
export async function stockOfItem(id: number): Promise<number> {
  const item = await findRow(orderItems, id)
  return (await findRow(nfts, item?.nftId))?.availableAmount ?? Number.NaN
}

export const anAdministratorVisitor = (name = 'Olga') =>
  aSignedInVisitor({ roleId: ADMINISTRATOR, name })

export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** Ends all deliveries, and removes what the pages show. */
export async function emptyPages() {
  await db.update(deliveries).set({
    state: 'transferred',
    reasonCode: null,
    reasonDetail: null,
    dueAt: null,
    awaits: null,
  })
  for (const table of [alarms, findings, hourlyOrders, networkChecks, auditLog])
    await db.delete(table)
}
