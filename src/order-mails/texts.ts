/**
 * What mails about orders say. Of what others have written they quote only titles, and numbers of
 * orders that say nothing else, because a seller may have them sent to any address.
 */
import type { Settings } from '../env.ts'
import { explorerPage } from '../ethereum/explorer.ts'
import { toLine } from '../http/text.ts'
import type { MailContent } from '../mail/html.ts'
import { coverUrl } from '../marketplace/pictures.ts'
import { mailedOrderNumber } from '../orders/number.ts'
import type { Texts } from '../texts/en.ts'
import { textLocale, textsOf } from '../texts/texts.ts'

/** The order item that a mail is about. */
export type MailedItem = {
  title: string
  orderId: number
  /** Order number of the shop. */
  providerId: string | null
  /** Of the recipient; of the seller if an approval is needed. */
  wallet: string | null
  network: string
  /** Of the token. */
  contract: string
  coverKey: string | null
  /** Null unless it is delivered. */
  txId: string | null
  /** As an administrator has named it; null without. */
  shopName: string | null
  shopEmail: string | null
  /** When it began to wait for a wallet. Null unless the buyer is reminded. */
  since: string | null
}

/** `title` and `order`, the number, may be quoted. */
type Write = (
  item: MailedItem & { order: string },
  mail: Texts['mail'],
  settings: Settings,
  locale: string,
) => MailContent

const writeAwaitingWallet: Write = (item, { awaitingWallet }, { PUBLIC_URL }) => ({
  subject: awaitingWallet.subject(item.title),
  order: item.order,
  lead: awaitingWallet.lead(item.title, item.order),
  url: `${PUBLIC_URL}/claim/${item.orderId}`,
  button: awaitingWallet.button,
  note: awaitingWallet.note,
})

const writeReminder: Write = (item, mail, settings, locale) => ({
  ...writeAwaitingWallet(item, mail, settings, locale),
  subject: mail.reminder.subject(item.title),
  lead: mail.reminder.lead(item.title, item.order, formatDay(item.since, locale)),
})

/** The mails, by the event of the log that a buyer is told of, or their own names. */
const mails = {
  'order.awaiting_wallet': writeAwaitingWallet,
  reminder: writeReminder,
  last_reminder: (item, mail, settings, locale) => ({
    ...writeReminder(item, mail, settings, locale),
    subject: mail.lastReminder.subject(item.title),
    note: mail.lastReminder.note,
  }),
  'order.delivered': (item, mail, settings) => {
    const { title, order, wallet, network, coverKey, txId } = item
    const explorer = settings.NETWORKS[network]?.explorerUrl
    return {
      subject: mail.delivered.subject(title),
      order,
      lead: mail.delivered.lead(title, order, wallet ?? ''),
      ...(explorer && txId
        ? { url: explorerPage(explorer, 'tx', txId), button: mail.delivered.button }
        : ordersLink(mail, settings)),
      note: mail.delivered.note(txId ?? ''),
      picture:
        settings.COVERS_URL && coverKey ? coverUrl(settings.COVERS_URL, coverKey) : undefined,
    }
  },
  'order.failed': ({ title, order }, mail, settings) => ({
    subject: mail.failed.subject(title),
    order,
    lead: mail.failed.lead(title, order),
    ...ordersLink(mail, settings),
    note: mail.failed.note,
  }),
  'approval.needed': (item, { approval }, { PUBLIC_URL, NETWORKS }) => {
    const { title, wallet, network, contract } = item
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
  item: MailedItem,
  settings: Settings,
  locale: string,
): Promise<MailContent> {
  const { mail } = await textsOf(locale)
  const title = mail.quote(quotable(item.title))
  const order = mailedOrderNumber({ id: item.orderId, providerId: item.providerId })
  const { shopName: name, shopEmail: email } = item
  const write: Write = mails[type]
  const content = write({ ...item, title, order }, mail, settings, textLocale(locale))
  // A seller who has to approve a contract is the shop.
  const hasShop = type !== 'approval.needed' && name !== null && email !== null
  return hasShop ? { ...content, shop: { name, email } } : content
}

const ordersLink = ({ seeOrders }: Texts['mail'], { PUBLIC_URL }: Settings) => ({
  url: `${PUBLIC_URL}/orders`,
  button: seeOrders,
})

const formatDay = (at: string | null, locale: string): string =>
  new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(new Date(at ?? 0))

/** Characters as people count them (grapheme clusters). */
const MAX_TITLE = 60

/** Text with letters of scripts that run from right to left. */
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Samaritan}]/u

/** Returns a title to be quoted: short, on one line, without quotation marks, and nothing that becomes a link. */
export function quotable(title: string): string {
  const visible = toLine(title.replaceAll(/[“”„«»]+/g, ' ')).replaceAll(/ +/g, ' ')
  const graphemes = [...new Intl.Segmenter().segment(visible)].map(({ segment }) => segment)
  const short =
    graphemes.length > MAX_TITLE ? `${graphemes.slice(0, MAX_TITLE - 1).join('')}…` : visible
  // Programs that read mails make links of what looks like one, unless it is interrupted (U+200B).
  const unlinked = short.replaceAll(/[.:/@。．｡](?=\S)/g, '$&\u200B')
  // Isolated (U+2068 to U+2069), so that the text around it keeps its direction.
  return rightToLeft.test(unlinked) ? `\u2068${unlinked}\u2069` : unlinked
}
