/** What a shop can do wrong, what to change, and the guide that says more. */

export const problems = {
  contract: {
    change: 'Answer the calls of the tool as the guide says.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  not_placed: {
    change:
      'Place an order for each paid sale, also after a restart: what is paid and has no order yet.',
    guide: 'first-order#4-place-the-order',
  },
  not_repeated: {
    change:
      'After no answer, an error without a `code`, 429, 5xx and request_in_progress send the same call again, until the marketplace answers.',
    guide: 'retries#what-to-send-again',
  },
  no_timeout: {
    change: 'Give each call a time limit of 30 seconds at most, then send it again.',
    guide: 'retries#what-to-send-again',
  },
  called_early: {
    change: 'Wait as long as `Retry-After` says before you send the call again.',
    guide: 'retries#what-to-send-again',
  },
  placed_twice: {
    change: 'Send each sale under its own order number, and repeat it under the same number.',
    guide: 'retries#three-keys',
  },
  not_delivered_once: {
    change: 'Send each sale under its own order number, and repeat it under the same number.',
    guide: 'retries#three-keys',
  },
  wrong_order: {
    change:
      'Send each field of the sale as it is: NFT, listing, quantity, buyer, price and currency.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  wrong_token: {
    change: 'Place each order with `MARKETPLACE_TOKEN`: its name is the source of your orders.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  foreign_order: {
    change:
      'Compare number, source and id with the order that the answer to your own call has named: another shop may use the same number.',
    guide: 'delivery#your-own-orders',
  },
  token_refused: {
    change:
      'After 401 and 403 keep the sale open, and do not refund it: the token is wrong, not the order. Tell a person, and send the call again when you compare your books.',
    guide: 'retries#what-to-send-again',
  },
  refusal_repeated: {
    change:
      'After 401, 403 and `order_differs` do not send the same call again at once: wait until a person has corrected it.',
    guide: 'retries#what-to-send-again',
  },
  order_differs: {
    change:
      'After `order_differs` keep the sale open, and show it to a person: its number belongs to another purchase. Do not refund it, do not take over or cancel that order, and choose no other number.',
    guide: 'retries#what-to-send-again',
  },
  reservation_unused: {
    change: 'Send `reservationId` with the order: it has the piece that the customer was promised.',
    guide: 'first-order#4-place-the-order',
  },
  reservation_lost: {
    change:
      'After `reservation_not_found` send the order again under the same number, without `reservationId`.',
    guide: 'compare',
  },
  forgotten: {
    change: 'Store a sale, and what your customer asks for, before you answer with 2xx.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  forgotten_by_marketplace: {
    change:
      'When you compare your books, find out whether what you know of an order is still there. If it is not, place each sale that is not refunded again under its number, and take over the order that is answered.',
    guide: 'compare',
  },
  lost_and_refused: {
    change:
      'Do not refund a sale that had an order when it is refused: a restore has lost the order, which may have been delivered. Tell a person, who asks the operator.',
    guide: 'compare#if-a-sale-is-refused',
  },
  books_not_compared: {
    change: 'Compare your books with the marketplace: take over how each order stands.',
    guide: 'compare',
  },
  other_cancelled: {
    change:
      'Send PUT with the number of the sale before you cancel, and cancel the id that it answers: the stored one may be of another order.',
    guide: 'refunds#cancel-and-wait',
  },
  not_cancelled_again: {
    change: 'When you compare your books, cancel again what a customer wants back.',
    guide: 'compare',
  },
  not_refunded: {
    change:
      'Give the money back when the marketplace refuses the order, or when `order.cancelled` says that nothing will be delivered.',
    guide: 'refunds#when-may-i-refund',
  },
  refunded_early: {
    change:
      'Cancel first, and refund when the status is `failed` with the reason code `cancelled`.',
    guide: 'refunds#when-may-i-refund',
  },
  refunded_twice: {
    change:
      'Refund a sale once, under a number that your payment provider accepts once, and remember it in the transaction that changes your books.',
    guide: 'refunds#cancel-and-wait',
  },
  wrong_refund: {
    change: 'Give back what the customer has paid: the price of a piece × `quantity`.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  late_message: {
    change:
      'Ignore a message whose `sequence` is not higher than that of the last one of the order.',
    guide: 'webhooks#receive-them',
  },
  forged_message: {
    change: 'Verify `webhook-signature` over the bytes of the body, and answer 400 if it is wrong.',
    guide: 'webhooks#receive-them',
  },
  old_message: {
    change: 'Answer 400 if `webhook-timestamp` differs from your clock by more than 5 minutes.',
    guide: 'webhooks#receive-them',
  },
  message_refused: {
    change:
      'Answer each authentic message with 2xx within 15 seconds, also one that you do not need.',
    guide: 'webhooks#receive-them',
  },
  message_lost: {
    change: 'Store what a message says before you answer with 2xx.',
    guide: 'webhooks#receive-them',
  },
  wrong_books: {
    change: 'Let your books follow the messages: each has the status of its order.',
    guide: 'webhooks#events',
  },
} as const

export type Problem = keyof typeof problems

/** A fact about a sale. */
export type Difference = {
  what: string
  expected: string
  found: string
}

/** The shop does something wrong. The message is a sentence about what was seen. */
export class Finding extends Error {
  /** What was expected, beside what was found. */
  readonly differences: readonly Difference[]
  /** What to change in the shop. */
  readonly change: string
  /** The path of a page of the instance. */
  readonly guide: string

  constructor(problem: Problem, seen: string, differences: readonly Difference[]) {
    super(seen)
    this.differences = differences
    this.change = problems[problem].change
    this.guide = `/docs/${problems[problem].guide}`
  }

  /** What was seen, in lines. */
  get lines(): string[] {
    const facts = this.differences
      .filter(({ expected, found }) => expected !== found)
      .map(({ what, expected, found }) => `${what}: expected ${expected}, found ${found}`)
    return [this.message, ...facts]
  }
}
