/**
 * Reads archived orders. What `archive.ts` has moved to R2 is one line of JSON for each order;
 * `archivedOrders` says where. The lines have no personal data.
 */
import type { InferSelectModel } from 'drizzle-orm'
import type { deliveries, transactions } from '../db/schema/delivery.ts'
import type { archivedOrders, archivedStatuses, orderItems } from '../db/schema/orders.ts'
import type { itemColumns } from './columns.ts'

type ItemRow = InferSelectModel<typeof orderItems>

/** An order item, its delivery, and the newest transaction that carried it. */
export type ArchivedLine = {
  item: Pick<ItemRow, Exclude<keyof typeof itemColumns, 'ethRecipient'>> & { ethRecipient: null }
  sellerId: number
  recipientChainId: number
  delivery: InferSelectModel<typeof deliveries>
  transaction: Omit<InferSelectModel<typeof transactions>, 'items' | 'raw'> | null
}

/** Where the line of an order is. */
export type Place = Pick<
  InferSelectModel<typeof archivedOrders>,
  'id' | 'file' | 'offset' | 'length'
>

/** Bytes between two lines that are read with them rather than by another call. */
const MAX_GAP = 16 * 1024

type Span = { file: string; offset: number; end: number; places: Place[] }

/** The parts of objects to read. */
function spansOf(places: readonly Place[]): Span[] {
  const spans: Span[] = []
  const byPosition = (a: Place, b: Place) =>
    a.file === b.file ? a.offset - b.offset : a.file < b.file ? -1 : 1
  for (const place of places.toSorted(byPosition)) {
    const { file, offset, length } = place
    const last = spans.at(-1)
    if (last?.file === file && offset - last.end <= MAX_GAP) {
      last.places.push(place)
      last.end = offset + length
    } else spans.push({ file, offset, end: offset + length, places: [place] })
  }
  return spans
}

/** Returns the lines by order id. Throws if an object is missing or has other lines. */
export async function readLines(
  bucket: R2Bucket,
  places: readonly Place[],
): Promise<Map<number, ArchivedLine>> {
  const decoder = new TextDecoder()
  const spans = spansOf(places).map(async ({ file, offset, end, places }) => {
    const object = await bucket.get(file, { range: { offset, length: end - offset } })
    if (!object) throw new Error(`the archive ${file} is missing`)
    const bytes = new Uint8Array(await object.arrayBuffer())
    return places.map((place): [number, ArchivedLine] => {
      const start = place.offset - offset
      const text = decoder.decode(bytes.subarray(start, start + place.length))
      const line: ArchivedLine = JSON.parse(text)
      if (line.item.orderId !== place.id)
        throw new Error(`the archive ${file} does not have order ${place.id} at ${place.offset}`)
      return [place.id, line]
    })
  })
  return new Map((await Promise.all(spans)).flat())
}

type ArchivedRow = Place & {
  status: (typeof archivedStatuses)[number]
  ethRecipient: string | null
}

/** Returns the items of archived orders, as `read.ts` reads the others. */
export async function readArchivedItems(bucket: R2Bucket, rows: readonly ArchivedRow[]) {
  const lines = await readLines(bucket, rows)
  return rows.flatMap(({ id, status, ethRecipient }) => {
    const line = lines.get(id)
    if (!line) return []
    const { item, delivery, transaction } = line
    const failReason = status === 'failed' ? delivery.reason : null
    const { updatedAt } = delivery
    const txId = transaction?.hash ?? null
    return [{ ...item, ethRecipient, updatedAt, status, txId, failReason }]
  })
}
