/** The number of an order, as people read it. Programs know an order by its id. */
import { isSeen } from '../http/text.ts'

/** `providerId`: the number of the shop; null if it has given none. */
export type OrderNumbers = { id: number; providerId: string | null }

/**
 * Returns the number of the shop as people may read it. Null for one that shows nothing, or that has characters that
 * are not seen, such as those that change the direction of the text around it.
 */
const readableNumber = ({ providerId }: OrderNumbers): string | null =>
  providerId !== null && isSeen(providerId) ? providerId : null

/** Returns the number of the shop, or else the id. */
export const orderNumber = (order: OrderNumbers): string =>
  readableNumber(order) ?? String(order.id)

/** Returns what operators read after the number: the id, as in logs, unless it is the number. */
export const idAfterNumber = (order: OrderNumbers): string =>
  readableNumber(order) === null ? '' : ` (id ${order.id})`

/**
 * The numbers that mails quote. Any other text could be a message of the person who placed the order. Programs that
 * read mails make links of hosts and of addresses with four numbers: so there is one dot at most, between digits.
 */
const plainNumber = /^(?=.{1,40}$)[A-Za-z0-9\-_#/]+(?:(?<=\d)\.(?=\d)[A-Za-z0-9\-_#/]+)?$/

/** Returns the number that mails name: the id if that of the shop is not plain. */
export const mailedOrderNumber = ({ id, providerId }: OrderNumbers): string =>
  providerId !== null && plainNumber.test(providerId) ? providerId : String(id)
