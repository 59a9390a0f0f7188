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
      'After no answer, 429, 5xx and request_in_progress send the same call again, until the marketplace answers.',
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
  forgotten: {
    change: 'Store a sale, and what your customer asks for, before you answer with 2xx.',
    guide: 'check-my-shop#what-your-shop-answers',
  },
  forgotten_by_marketplace: {
    change:
      'Place each sale that is not refunded again under its number when you compare your books, and take over the order that is answered.',
    guide: 'check-my-shop#compare-your-books',
  },
  books_not_compared: {
    change: 'Compare your books with the marketplace: take over how each order stands.',
    guide: 'check-my-shop#compare-your-books',
  },
  other_cancelled: {
    change:
      'Send PUT with the number of the sale before you cancel, and cancel the id that it answers: the stored one may be of another order.',
    guide: 'refunds#cancel-and-wait',
  },
  not_cancelled_again: {
    change: 'When you compare your books, cancel again what a customer wants back.',
    guide: 'check-my-shop#compare-your-books',
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
      'Refund a sale once: remember the `webhook-id` in the transaction that changes your books.',
    guide: 'webhooks#receive-them',
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

/** The shop does something wrong. The message is a sentence about what was seen. */
export class Finding extends Error {
  readonly problem: Problem
  /** What to change in the shop. */
  readonly change: string
  /** The path of a page of the instance. */
  readonly guide: string

  constructor(problem: Problem, seen: string) {
    super(seen)
    this.problem = problem
    this.change = problems[problem].change
    this.guide = `/docs/${problems[problem].guide}`
  }
}
