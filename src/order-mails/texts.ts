/**
 * What mails about orders say. Of what others have written they quote only titles, names of shops, and numbers of
 * orders that say nothing else, because a seller may have them sent to any address.
 */
import type { DeliveryState, ReasonCode } from '../db/schema/delivery.ts'
import { removerOf } from '../delivery/reasons.ts'
import type { Settings } from '../env.ts'
import type { MailContent } from '../mail/html.ts'
import { quotable } from '../mail/quotable.ts'
import { artUrl, coverOf } from '../marketplace/pictures.ts'
import { mailedOrderNumber, type OrderNumbers } from '../orders/number.ts'
import type { Texts } from '../texts/en.ts'
import { textLocale, textsOf } from '../texts/texts.ts'

/** The order item that a mail is about. */
export type MailedOrderItem = {
  title: string
  orderId: number
  quantity: number
  /** Order number of the shop. */
  providerId: string | null
  /** Where its link leads. */
  claimPath: string
  /** Of the recipient; of the seller if an approval is needed. */
  wallet: string | null
  network: string
  /** Of the token. */
  contract: string
  nftId: number
  /** As the NFT has it. */
  heldBySeller: 0 | 1
  coverKey: string | null
  /** Whether the metadata of the NFT has an image. */
  hasImage: 0 | 1
  /** Null unless it is delivered. */
  txId: string | null
  /** Why it has failed; null or absent if it has not. */
  reasonCode?: ReasonCode | null
  /** As an administrator has named it; null without. */
  shopName: string | null
  shopEmail: string | null
  /** When it began to wait for a wallet. Null unless the buyer is reminded. */
  since: string | null
}

/** `title` and `order`, the number, may be quoted. */
type Write = (
  orderItem: MailedOrderItem & { order: string },
  texts: Texts,
  settings: Settings,
  locale: string,
) => MailContent

const writeAwaitingWallet: Write = (orderItem, { mail: { awaitingWallet } }, { PUBLIC_URL }) => ({
  subject: awaitingWallet.subject(orderItem.title),
  order: orderItem.order,
  lead: awaitingWallet.lead(orderItem.title, orderItem.order),
  url: PUBLIC_URL + orderItem.claimPath,
  button: awaitingWallet.button,
  note: awaitingWallet.note,
})

/** The page of the order. */
const orderLink = ({ seeOrder }: Texts['mail'], { PUBLIC_URL }: Settings, orderId: number) => ({
  url: `${PUBLIC_URL}/orders/${orderId}`,
  button: seeOrder,
})

const writeReminder: Write = (orderItem, texts, settings, locale) => ({
  ...writeAwaitingWallet(orderItem, texts, settings, locale),
  subject: texts.mail.reminder.subject(orderItem.title),
  lead: texts.mail.reminder.lead(
    orderItem.title,
    orderItem.order,
    formatDay(orderItem.since, locale),
  ),
})

/** The mails, by the event of the log that a buyer is told of, or their own names. */
const mails = {
  'order.awaiting_wallet': writeAwaitingWallet,
  reminder: writeReminder,
  last_reminder: (orderItem, texts, settings, locale) => ({
    ...writeReminder(orderItem, texts, settings, locale),
    subject: texts.mail.lastReminder.subject(orderItem.title),
    note: texts.mail.lastReminder.note,
  }),
  'order.delivered': ({ title, order, orderId, wallet, txId }, { mail }, settings) => ({
    subject: mail.delivered.subject(title),
    order,
    lead: mail.delivered.lead(title, order, wallet ?? ''),
    ...orderLink(mail, settings, orderId),
    note: mail.delivered.note(txId ?? ''),
  }),
  'order.failed': (orderItem, texts, settings) => {
    const { title, order, orderId, network, reasonCode } = orderItem
    const { mail, orders } = texts
    const { failedBecause, askShop } = orders
    const remover = reasonCode && removerOf(reasonCode, orderItem, settings.NETWORKS[network] ?? {})
    const why = remover ? failedBecause[remover] : ''
    return {
      subject: mail.failed.subject(title),
      order,
      lead: [mail.failed.lead(title, order), why, askShop(order)].filter(Boolean).join(' '),
      ...orderLink(mail, settings, orderId),
      note: mail.failed.note,
    }
  },
  'approval.needed': (orderItem, { mail: { approval } }, { PUBLIC_URL, NETWORKS }) => {
    const { title, wallet, network, contract } = orderItem
    const call = `setApprovalForAll(${NETWORKS[network]?.delivery}, true)`
    return {
      subject: approval.subject(title),
      lead: approval.lead(title, wallet ?? '', call, contract, network),
      url: `${PUBLIC_URL}/settings/selling`,
      button: approval.button,
      note: approval.note,
    }
  },
} satisfies Record<string, Write>

export type OrderMailType = keyof typeof mails

/** Returns what a mail to a reader with this locale says. */
export async function writeOrderMail(
  type: OrderMailType,
  orderItem: MailedOrderItem,
  settings: Settings,
  locale: string,
): Promise<MailContent> {
  const texts = await textsOf(locale)
  const title = texts.mail.quote(quotable(orderItem.title))
  const order = mailedOrderNumber({ id: orderItem.orderId, providerId: orderItem.providerId })
  const write: Write = mails[type]
  const content = write({ ...orderItem, title, order }, texts, settings, textLocale(locale))
  // A seller who has to approve a contract is the shop.
  if (type === 'approval.needed') return content
  const { quantity, shopName: name, shopEmail: email, nftId, coverKey, hasImage } = orderItem
  const hasArt = hasImage || coverOf(settings, { id: nftId, coverKey })
  return {
    ...content,
    pieces: texts.orders.pieces(quantity, quantity.toLocaleString(textLocale(locale))),
    picture: hasArt ? artUrl(settings.PUBLIC_URL, nftId, 'card') : undefined,
    shop: name !== null && email !== null ? { name: quotable(name), email } : undefined,
  }
}

/** An order that no mail was sent about. */
export type HeldOrder = OrderNumbers & { state: DeliveryState; title: string }

/** What buyers are told of, by the state of the delivery. */
const toldStates = {
  awaiting_wallet: 'order.awaiting_wallet',
  transferred: 'order.delivered',
  failed: 'order.failed',
} as const

/** Returns a summary of orders, of which `others` are not named; null if there is nothing to tell. */
export async function writeSummary(
  orders: readonly HeldOrder[],
  others: number,
  { PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>,
  locale: string,
): Promise<MailContent | null> {
  const { mail } = await textsOf(locale)
  const { subject, lead, others: more, note, states } = mail.summary
  const lines = orders.flatMap((order) => {
    const told = Object.entries(toldStates).find(([state]) => state === order.state)?.[1]
    const title = mail.quote(quotable(order.title))
    return told ? `${title} (${mailedOrderNumber(order)}) ${states[told]}` : []
  })
  if (lines.length === 0) return null
  if (others > 0) lines.push(more(others.toLocaleString(textLocale(locale))))
  const url = `${PUBLIC_URL}/orders`
  return { subject, lead: [lead, ...lines].join('\n'), url, button: mail.seeOrders, note }
}

function formatDay(at: string | null, locale: string): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  const day = format.format(new Date(at ?? 0))
  // French has an ordinal for the first day of a month only.
  return locale.startsWith('fr') ? day.replace(/^1 /, '1er ') : day
}
