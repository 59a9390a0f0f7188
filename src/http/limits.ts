/** Every limit that somebody can meet. docs/limits.md shows these tables (`npm run openapi`). */
import { DAY, HOUR, MINUTE, SECOND } from '../time.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

export type Limit = {
  /** What is counted or measured. */
  of: string
  max: number
  /** Of `max`. Default: a number of what `of` names. */
  unit?: 'bytes' | 'ms' | 'share'
  /** The period in which it is counted. A day is one of UTC, but where `of` says another time. */
  per?: 'minute' | 'hour' | 'day'
  /** The name of the quota that counts it: see `quotaOf`. */
  quota?: string
  /** What happens at it: an error code, or a sentence. Default: `rate_limited`. */
  at?: string
  /** The variable of which `max` is the default. */
  variable?: string
  /** The rate limit of wrangler.toml that has the same number. */
  binding?: string
}

type Limits = Record<string, Limit>

/** Returns how much a limit allows: `200 a day`, `16 KiB`, `30 days`, `50 %`. */
export function describeLimit({ max, unit, per }: Pick<Limit, 'max' | 'unit' | 'per'>): string {
  const count = (n: number, name: string) =>
    `${n.toLocaleString('en')} ${name}${n === 1 ? '' : 's'}`
  if (unit === 'share') return `${100 * max} %`
  if (unit === 'bytes') {
    if (max % MEBIBYTE === 0) return `${max / MEBIBYTE} MiB`
    return max % KIBIBYTE === 0 ? `${max / KIBIBYTE} KiB` : count(max, 'byte')
  }
  if (unit === 'ms') {
    if (max > DAY && max % DAY === 0) return count(max / DAY, 'day')
    if (max % HOUR === 0) return count(max / HOUR, 'hour')
    return max % MINUTE === 0 ? count(max / MINUTE, 'minute') : count(max / SECOND, 'second')
  }
  return max.toLocaleString('en') + (per ? ` a ${per}`.replace('a hour', 'an hour') : '')
}

export const requestLimits = {
  ofToken: {
    of: 'requests of a user token, a session, or a client address without a token',
    max: 600,
    per: 'minute',
    binding: 'RATE_LIMIT',
  },
  ofUser: {
    of: 'requests of a user, over all tokens and sessions',
    max: 1800,
    per: 'minute',
    binding: 'USER_RATE_LIMIT',
  },
  ofMasterToken: {
    of: 'requests of a master token: 200 a second, what D1 is planned with',
    max: 12_000,
    per: 'minute',
    binding: 'MASTER_RATE_LIMIT',
  },
  signIns: { of: 'sign-ins of a client address', max: 20, per: 'minute', binding: 'SIGN_IN_LIMIT' },
  avatars: {
    of: 'changes of avatars of a user, a master token, or a session',
    max: 20,
    per: 'minute',
    binding: 'AVATAR_LIMIT',
  },
  newTokens: { of: 'new tokens of the same', max: 10, per: 'minute', binding: 'TOKEN_LIMIT' },
  // Enough for 100 ids, and short enough for the logs of proxies.
  urlLength: { of: 'characters of a URL', max: 8192, at: 'invalid_input' },
  json: { of: 'JSON of a request', max: MEBIBYTE, unit: 'bytes', at: 'payload_too_large' },
  form: { of: 'a form, without files', max: 16 * KIBIBYTE, unit: 'bytes', at: 'payload_too_large' },
  issues: { of: 'issues of an error', max: 100, at: 'the others are left out' },
  issuesSize: {
    of: 'issues of an error together',
    max: 60_000,
    unit: 'bytes',
    at: 'the others are left out',
  },
  issueText: { of: 'characters of a text of an issue', max: 250, at: 'it ends with `…`' },
} satisfies Limits

export const orderLimits = {
  perCall: {
    of: 'orders or reservations to make or read, in a call',
    max: 100,
    at: 'invalid_input',
  },
  holdTime: {
    of: 'time of a reservation, rounded up to 10 seconds on the clock',
    max: 30 * MINUTE,
    unit: 'ms',
    at: 'nothing is held any more; `reservation_not_found`',
  },
  customKeys: { of: 'keys of `custom`, of 64 characters each', max: 20, at: 'invalid_input' },
  custom: { of: '`custom` of an order', max: 4 * KIBIBYTE, unit: 'bytes', at: 'invalid_input' },
  open: {
    of: 'orders of a user over all user tokens that are not ended, with live reservations',
    max: 1000,
    at: 'too_many_open_orders',
    variable: 'MAX_OPEN_ORDERS',
  },
  added: { of: 'new orders and reservations, for each that may be open', max: 10, per: 'day' },
  idempotencyKey: { of: 'an `Idempotency-Key`', max: DAY, unit: 'ms', at: 'it may be used again' },
  candidates: {
    of: 'orders that a list of orders or a page of a collection looks at; with `updatedFrom`, `pending` or `transferring` also what is under way',
    max: 1000,
    at: 'the page is shorter',
  },
  triedContracts: {
    of: 'contracts that a page of Settings → Selling tries',
    max: 20,
    at: 'the others are on the next pages',
  },
} satisfies Limits

export const peopleLimits = {
  addresses: {
    of: 'addresses of a kind, without those of orders',
    max: 100,
    at: 'too_many_addresses',
  },
  newAddresses: {
    of: 'new addresses of a user, deleted ones too',
    max: 200,
    per: 'day',
    quota: 'addresses',
  },
  undo: { of: 'time to restore a deleted address', max: HOUR, unit: 'ms', at: 'not_found' },
  deletedAddress: {
    of: 'a deleted address',
    max: 30 * DAY,
    unit: 'ms',
    at: 'it is removed, unless an order uses it',
  },
  picture: {
    of: 'a picture, or an image of an NFT',
    max: 10 * MEBIBYTE,
    unit: 'bytes',
    at: 'payload_too_large',
  },
  pixels: { of: 'pixels of the same', max: 50_000_000, at: 'payload_too_large' },
  pictures: { of: 'pictures of a user, also broken ones', max: 20, per: 'day', quota: 'pictures' },
  converted: {
    of: 'avatars that the instance converts',
    max: 100,
    per: 'day',
    at: 'try_later',
    variable: 'MAX_PICTURES_PER_DAY',
  },
  art: {
    of: 'art of NFTs that the instance converts, besides those',
    max: 50,
    per: 'day',
    at: 'the drawn cover until the next day; `not_found`',
    variable: 'MAX_ART_PER_DAY',
  },
  // With more, a flood of requests or a broken picture would use up the conversions of others.
  artDownloads: {
    of: 'downloads of the image of an NFT for each size, also those that fail, until it is stored',
    max: 1,
    per: 'hour',
    at: 'the drawn cover; `not_found`',
  },
  artConversions: {
    of: 'its conversions for each size, also those that fail',
    max: 1,
    per: 'day',
    at: 'the drawn cover until the next day; `not_found`',
  },
  artAge: {
    of: 'time for which caches keep art that was changed or withdrawn',
    max: HOUR,
    unit: 'ms',
    at: 'they ask again',
  },
  tokens: { of: 'live API tokens of a user', max: 50, at: 'conflict' },
  newTokens: {
    of: 'new API tokens of a user, rolled ones too',
    max: 100,
    per: 'day',
    quota: 'new tokens',
  },
  signIns: { of: 'sign-ins of a user', max: 100, per: 'day', quota: 'sign-ins' },
  // An unlinked wallet adds an event for everything that waits to be delivered to the user.
  unlinks: { of: 'unlinked ways to sign in of a user', max: 10, per: 'day', quota: 'unlinks' },
  endedToken: {
    of: 'the row of a token or session after its end',
    max: 30 * DAY,
    unit: 'ms',
    at: 'it is removed',
  },
  session: { of: 'a session', max: DAY, unit: 'ms', at: 'unauthenticated' },
  recentSignIn: {
    of: 'age of the sign-in, for what changes how to get in, and for what cannot be undone',
    max: 10 * MINUTE,
    unit: 'ms',
    at: 'reauthentication_required',
  },
} satisfies Limits

export const mailLimits = {
  link: {
    of: 'a mailed link',
    max: 15 * MINUTE,
    unit: 'ms',
    at: '`link_expired`; the next cron run removes it',
  },
  message: {
    of: 'a message to sign with a wallet',
    max: 10 * MINUTE,
    unit: 'ms',
    at: '`unauthenticated`; the next cron run removes it',
  },
  // By client, so that others cannot keep the owner of a mailbox out.
  signInLinks: {
    of: 'sign-in links for a client address and a mailbox in 15 minutes',
    max: 6,
    at: 'no mail',
  },
  liveLinks: { of: 'of these, links that work', max: 3, at: 'the oldest does not work any more' },
  accountLinks: { of: 'links that add an address to an account in 15 minutes', max: 3 },
  account: { of: 'mails to a recipient about the account', max: 30, per: 'day', at: 'no mail' },
  webhooks: { of: 'mails to a recipient about webhooks', max: 10, per: 'day', at: 'no mail' },
  webhook: {
    of: 'of these, mails of each kind for each webhook',
    max: 1,
    per: 'day',
    at: 'no mail',
  },
  mailbox: {
    of: 'mails to a mailbox about orders',
    max: 10,
    per: 'day',
    quota: 'mailbox',
    at: 'no mail',
  },
  seller: {
    of: 'of these, mails because of one seller',
    max: 3,
    per: 'day',
    quota: 'mailbox',
    at: 'no mail',
  },
  approval: {
    of: 'time until a seller is told again to approve the Delivery contract for a token contract',
    max: 30 * DAY,
    unit: 'ms',
    at: 'a mail',
  },
  reminder: {
    of: 'time until the reminder of an order that waits for a wallet',
    max: 3 * DAY,
    unit: 'ms',
    at: 'a mail',
  },
  lastReminder: { of: 'time until the last reminder', max: 14 * DAY, unit: 'ms', at: 'a mail' },
  unclaimed: {
    of: 'time until the shop is told that nobody has claimed it',
    max: 21 * DAY,
    unit: 'ms',
    at: 'the event `order.unclaimed`; it waits on',
  },
  perHour: {
    of: 'mails of the instance, without those about orders',
    max: 100,
    per: 'hour',
    at: 'try_later',
    variable: 'MAX_MAILS_PER_HOUR',
  },
  perDay: { of: 'the same', max: 500, per: 'day', at: 'try_later', variable: 'MAX_MAILS_PER_DAY' },
  orders: {
    of: 'mails of the instance about orders',
    max: 1000,
    per: 'day',
    quota: 'order-mails',
    at: 'sent the next day, unless they are three days old then',
    variable: 'MAX_ORDER_MAILS_PER_DAY',
  },
  share: {
    of: 'of these three, mails for addresses that no user has, and those about orders that the user tokens of one user have placed',
    max: 0.5,
    unit: 'share',
    at: '`try_later`; no mail about the order',
  },
} satisfies Limits

export const webhookLimits = {
  webhooks: {
    of: 'webhooks of a user, or of the name of a token with the scope `orders`',
    max: 10,
    at: 'conflict',
  },
  // Each gets a test, and may be somebody else's.
  newWebhooks: {
    of: 'new webhooks, counted in the same way',
    max: 30,
    per: 'day',
    quota: 'webhooks',
  },
  sources: { of: 'names in `sources` of a webhook', max: 20, at: 'invalid_input' },
  testsPerDay: { of: 'tests of a webhook', max: 100, per: 'day', quota: 'webhook_tests' },
  testsPerMinute: { of: 'tests of a webhook', max: 10, per: 'minute', quota: 'webhook_tests' },
  replays: { of: 'replays of a webhook', max: 6, per: 'day', quota: 'webhook_replays' },
  answer: { of: 'an attempt, until the answer', max: 15 * SECOND, unit: 'ms', at: 'it failed' },
  pending: {
    of: 'messages of a webhook that wait for another attempt',
    max: 1000,
    at: 'further events wait in the log',
  },
  turn: { of: 'turn of a webhook', max: 60 * SECOND, unit: 'ms', at: 'it goes on next time' },
  sharedTurn: {
    of: 'the same, while another webhook waits',
    max: 5 * SECOND,
    unit: 'ms',
    at: 'it goes on next time',
  },
  atOnce: { of: 'webhooks of a user that are sent to at once', max: 2, at: 'the others wait' },
  pause: {
    of: 'pause of a webhook that fails, which begins with 5 or 10 seconds',
    max: 5 * MINUTE,
    unit: 'ms',
    at: 'one message at a time',
  },
  warned: {
    of: 'failure, until the owner of a webhook is told',
    max: 4 * DAY,
    unit: 'ms',
    at: 'a mail',
  },
  disabled: {
    of: 'failure of a webhook',
    max: 5 * DAY,
    unit: 'ms',
    at: 'it is disabled, a day after the mail at the earliest',
  },
  event: {
    of: 'an event in the log',
    max: 30 * DAY,
    unit: 'ms',
    at: '`events_removed` for who asks for what followed it',
  },
  behind: {
    of: 'of an event for which a webhook waits, the last days',
    max: 3 * DAY,
    unit: 'ms',
    at: 'a mail to its owner',
  },
  window: {
    of: 'events that a call looks at, but with a master token without `source`',
    max: 1000,
    at: 'the page is shorter than `limit`',
  },
} satisfies Limits

export const catalogueLimits = {
  named: { of: 'listings or NFTs to list or to get in a call', max: 100, at: 'invalid_input' },
  candidates: {
    of: 'candidates that a call that lists them looks at',
    max: 1000,
    at: 'the page is shorter than `limit`',
  },
  description: { of: 'characters of a public description', max: 2000, at: 'the rest is left out' },
  records: { of: 'records whose numbers a call finds', max: 1000, at: 'invalid_input' },
  lines: { of: 'lines of a call of an import', max: 1000, at: 'payload_too_large' },
  body: { of: 'a call of an import', max: 4 * MEBIBYTE, unit: 'bytes', at: 'payload_too_large' },
  // One transaction writes them, and D1 stops a statement after 30 seconds.
  importLines: {
    of: 'lines of an import; the command divides a larger file',
    max: 20_000,
    at: 'payload_too_large',
  },
  // The metadata of some collections holds the picture.
  lineLength: { of: 'characters of a line of an import', max: 128 * 1024, at: 'invalid_input' },
} satisfies Limits

export const operatorLimits = {
  alarmAge: {
    of: 'age of a paid item with a recipient',
    max: 30 * MINUTE,
    unit: 'ms',
    at: 'the alarm `deliveries_delayed`',
    variable: 'DELIVERY_ALARM_MINUTES',
  },
  alarmShare: {
    of: 'pieces of the limit of a relayer in the contract; mails and pictures of a day or an hour',
    max: 0.8,
    unit: 'share',
    at: 'the alarms `relayer_limit_low` and `quota_low`',
  },
  changed: { of: 'transfers a call changes', max: 1000, at: 'the first are changed; call again' },
  searched: {
    of: 'newest deliveries and transactions that a search looks at: for an older key, `npm run contract -- audit` tells the transaction',
    max: 10_000,
    at: 'nothing is found',
  },
  titles: {
    of: 'titles whose words a search looks at, the first by the alphabet; their beginnings are found in all',
    max: 10_000,
    at: 'nothing is found',
  },
} satisfies Limits
