/**
 * The texts of mails about orders. Of what others have written they quote titles only, because a
 * seller may have them sent to any address.
 */
import type { Settings } from '../env.ts'
import { coverUrl, explorerPage } from '../http/links.ts'
import type { MailContent } from '../mail/html.ts'

/** The order item that a mail is about. */
export type MailedItem = {
  title: string
  orderId: number
  /** Of the recipient; of the seller if an approval is needed. */
  wallet: string | null
  network: string
  /** Of the token. */
  contract: string
  coverKey: string | null
  /** Null unless it is delivered. */
  txId: string | null
}

/** By the event of the log that a buyer is told of, and for a seller. `title` is one of `quoteTitle`. */
export const orderTexts = {
  'order.awaiting_wallet': ({ title, orderId }, { PUBLIC_URL }) => ({
    subject: `Connect a wallet to receive ${title}`,
    lead: `You have bought ${title} (order ${orderId}). Sign in with this e-mail address and connect a wallet: then it is sent there.`,
    url: `${PUBLIC_URL}/claim/${orderId}`,
    button: 'Connect a wallet',
    note: 'If you have bought nothing, ignore this mail.',
  }),
  'order.delivered': ({ title, orderId, wallet, network, coverKey, txId }, settings) => {
    const explorer = settings.NETWORKS[network]?.explorerUrl
    return {
      subject: `${title} was delivered`,
      lead: `${title} (order ${orderId}) is in your wallet ${wallet}.`,
      ...(explorer && txId
        ? { url: explorerPage(explorer, 'tx', txId), button: 'See the transaction' }
        : ordersLink(settings)),
      note: `Transaction: ${txId}`,
      picture:
        settings.COVERS_URL && coverKey ? coverUrl(settings.COVERS_URL, coverKey) : undefined,
    }
  },
  'order.failed': ({ title, orderId }, settings) => ({
    subject: `${title} could not be delivered`,
    lead: `The delivery of ${title} (order ${orderId}) has failed. Ask the shop where you have bought it, and name this order.`,
    ...ordersLink(settings),
    note: 'The delivery may be tried again. You get a mail when it has arrived.',
  }),
  'approval.needed': ({ title, wallet, network, contract }, { PUBLIC_URL, NETWORKS }) => ({
    subject: `Allow delivery of ${title}`,
    lead: `You have sold ${title}, but the marketplace may not transfer it from your wallet ${wallet}. With this wallet, call setApprovalForAll(${NETWORKS[network]?.delivery}, true) of the token contract ${contract} on ${network}.`,
    url: `${PUBLIC_URL}/settings/selling`,
    button: 'Allow delivery',
    note: 'What you have sold of this contract waits for it, and fails after 24 hours. We tell you once in 30 days.',
  }),
} satisfies Record<string, (item: MailedItem, settings: Settings) => MailContent>

const ordersLink = ({ PUBLIC_URL }: Settings) => ({
  url: `${PUBLIC_URL}/orders`,
  button: 'See your orders',
})

/** Characters. */
const MAX_TITLE = 60

/** Returns a title in quotes: short, on one line, and without what is not visible. */
export function quoteTitle(title: string): string {
  const visible = title.replaceAll(/[\p{C}\p{Z}“”]+/gu, ' ').trim()
  const characters = [...visible]
  if (characters.length <= MAX_TITLE) return `“${visible}”`
  return `“${characters.slice(0, MAX_TITLE - 1).join('')}…”`
}
