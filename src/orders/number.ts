/** The number of an order, as people read it. Programs know an order by its id. */

/** `providerId`: the number of the shop; null if it has given none. */
export type OrderNumbers = { id: number; providerId: string | null }

/** Returns the number of the shop, or else the id. */
export const orderNumber = ({ id, providerId }: OrderNumbers): string => providerId ?? String(id)

/** Returns what operators read after the number: the id, as in logs, unless it is the number. */
export const idAfterNumber = ({ id, providerId }: OrderNumbers): string =>
  providerId === null ? '' : ` (id ${id})`

/** The numbers that mails quote. Any other text could be a message of the person who placed the order. */
const plainNumber = /^[A-Za-z0-9\-_#/.]{1,40}$/

/**
 * Returns the number that mails name: the id if that of the shop is not plain. Programs that read mails
 * make links of what looks like a host, unless it is interrupted (U+200B).
 */
export function mailedOrderNumber({ id, providerId }: OrderNumbers): string {
  const isPlain = providerId !== null && plainNumber.test(providerId)
  const number = orderNumber({ id, providerId: isPlain ? providerId : null })
  return number.replaceAll(/\.(?=[A-Za-z])/g, '.\u200B')
}
