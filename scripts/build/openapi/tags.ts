/** The groups of operations, in the order in which a shop needs them. */
import type { ZodOpenApiObject } from 'zod-openapi'

const orders = `
Place paid orders and follow their delivery.

An order is \`paid\` when it is placed, and stays so. It has one item, and \`status\` of the item tells
of its delivery:

| status | meaning | next |
|---|---|---|
| \`null\` | Queued. No transaction was sent yet. | \`transferring\` |
| \`awaiting_wallet\` | The buyer has no wallet yet. | \`null\`, when the buyer links a wallet |
| \`transferring\` | A transaction was sent: \`txId\` is its hash. | \`transferred\` |
| \`transferred\` | The buyer has the NFT. | This is the end. |
| \`failed\` | The NFT cannot be delivered, or the delivery was cancelled. \`failReason\` of the order says why. | \`null\`, if an operator retries it. A cancelled item stays \`failed\`. |

An item can also become \`failed\` from every other status but \`transferred\`. Cancel an order before
you refund it, and refund it only when it is \`failed\` with the \`reasonCode\` \`cancelled\`: only then can
the NFT no longer arrive. The guide “Refunding an order” says more.
`

export const tags: NonNullable<ZodOpenApiObject['tags']> = [
  { name: 'Orders', description: orders.trim() },
  {
    name: 'Addresses',
    description:
      'The address book of each user. Orders need a billing address; shops deliver goods to ' +
      'delivery addresses. A user has at most one default address of each kind.',
  },
  {
    name: 'Avatars',
    description:
      'The pictures of users. A new picture is converted to JPEG and gets a new URL; the old URL ' +
      'works for another day.',
  },
  {
    name: 'Marketplace',
    description: 'Public numbers and lists. They need no token, and caches may keep them a minute.',
  },
  {
    name: 'Webhooks',
    description:
      'Endpoints of yours to which events of orders are sent, signed as Standard Webhooks, and the ' +
      'log of these events. The guide “Webhooks” says how to receive them.',
  },
  {
    name: 'Transfers',
    description:
      'The deliveries of order items, for operators. A transfer has the id of its order item.',
  },
  {
    name: 'Catalogue',
    description:
      'What is for sale, for operators. Records have ids of your own, by which they refer to each ' +
      'other, so that a file can be imported again.',
  },
  {
    name: 'Operations',
    description: 'Health and metrics of the instance, for monitoring.',
  },
  {
    name: 'Retention',
    description: 'What an instance keeps of a person, for operators: it is handed over or removed.',
  },
  {
    name: 'Identity',
    description:
      'Sign-in with a wallet in a browser, and the keys that verify tokens. A shop does not need ' +
      'them: it uses an API token of the settings page.',
  },
]
