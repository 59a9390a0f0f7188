/** Every limit that somebody can meet. docs/limits.md shows these tables (`npm run openapi`). */
import { MAX_CANDIDATES } from './db/candidates.ts'
import { DAY, HOUR, MINUTE, SECOND } from './time.ts'

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
  /** The name of the quota that counts it. */
  quota?: string
  /** What happens at it: an error code, or a sentence. Default: `rate_limited`. */
  at?: string
  /** The variable of which `max` is the default. */
  variable?: string
  /** The rate limit of wrangler.toml that has the same number. */
  binding?: string
}

/** Returns a whole number with commas. `Intl` loads its data at the first use, which delays the start. */
const inThousands = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** Returns how much a limit allows: `200 a day`, `16 KiB`, `30 days`, `50 %`. */
export function describeLimit({ max, unit, per }: Pick<Limit, 'max' | 'unit' | 'per'>): string {
  const count = (n: number, name: string) => `${inThousands(n)} ${name}${n === 1 ? '' : 's'}`
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
  return inThousands(max) + (per ? ` a ${per}`.replace('a hour', 'an hour') : '')
}

/** A number of what `of` names. */
const count = (of: string, max: number, at?: string) => ({ of, max, ...(at && { at }) })
const size = (of: string, max: number, at: string) => ({ of, max, unit: 'bytes', at }) as const
const time = (of: string, max: number, at: string) => ({ of, max, unit: 'ms', at }) as const
const share = (of: string, max: number, at: string) => ({ of, max, unit: 'share', at }) as const
const perHour = (of: string, max: number, at?: string) =>
  ({ ...count(of, max, at), per: 'hour' }) as const
const perDay = (of: string, max: number, at?: string) =>
  ({ ...count(of, max, at), per: 'day' }) as const

/** Counted by a binding of wrangler.toml. */
const rate = (binding: string, of: string, max: number) =>
  ({ of, max, per: 'minute', binding }) as const

/** Counted by `quotaOf`, under this name for each owner. */
const quota = (quota: string, per: 'minute' | 'day', of: string, max: number) =>
  ({ of, max, per, quota }) as const

/** A variable can set another number. */
const setBy = <T extends Limit>(variable: string, limit: T) => ({ ...limit, variable })

export const requestLimits = {
  ofToken: rate(
    'RATE_LIMIT',
    'requests of a user token, a session, or a client address without a token',
    600,
  ),
  ofUser: rate('USER_RATE_LIMIT', 'requests of a user, over all tokens and sessions', 1800),
  ofMasterToken: rate(
    'MASTER_RATE_LIMIT',
    'requests of a master token: 200 a second, what D1 is planned with',
    12_000,
  ),
  signIns: rate('SIGN_IN_LIMIT', 'sign-ins of a client address', 20),
  avatars: rate(
    'AVATAR_LIMIT',
    'changes of avatars and covers of a user, a master token, or a session',
    20,
  ),
  newTokens: rate('TOKEN_LIMIT', 'new tokens of the same', 10),
  content: rate('CONTENT_LIMIT', 'requests for content, without its files, of the same', 60),
  holders: rate('HOLDER_LIMIT', 'of these, questions who holds a token', 20),
  // Enough for 100 ids, and short enough for the logs of proxies.
  urlLength: count('characters of a URL', 8192, 'invalid_input'),
  json: size('JSON of a request', MEBIBYTE, 'payload_too_large'),
  form: size('a form, without files', 16 * KIBIBYTE, 'payload_too_large'),
  issues: count('issues of an error', 100, 'the others are left out'),
  issuesSize: size('issues of an error together', 60_000, 'the others are left out'),
  issueText: count('characters of a text of an issue', 250, 'it ends with `…`'),
}

export const orderLimits = {
  perCall: count('orders or reservations to make or read, in a call', 100, 'invalid_input'),
  holdTime: time(
    'time of a reservation, rounded up to 10 seconds on the clock',
    30 * MINUTE,
    'nothing is held any more; `reservation_not_found`',
  ),
  customKeys: count('keys of `custom`, of 64 characters each', 20, 'invalid_input'),
  custom: size('`custom` of an order', 4 * KIBIBYTE, 'invalid_input'),
  open: setBy(
    'MAX_OPEN_ORDERS',
    count(
      'orders of a user over all user tokens that are not ended, with live reservations',
      1000,
      'too_many_open_orders',
    ),
  ),
  added: perDay('new orders and reservations, for each that may be open', 10),
  idempotencyKey: time('an `Idempotency-Key`', DAY, 'it may be used again'),
  candidates: count(
    'orders that a list of orders or a page of a collection looks at; with `updatedFrom`, `pending` or `transferring` also what is under way',
    MAX_CANDIDATES,
    'the page is shorter',
  ),
  triedContracts: count(
    'contracts that a page of Settings → Selling tries',
    20,
    'the others are on the next pages',
  ),
}

export const peopleLimits = {
  addresses: count('addresses of a kind, without those of orders', 100, 'too_many_addresses'),
  newAddresses: quota('addresses', 'day', 'new addresses of a user, deleted ones too', 200),
  undo: time('time to restore a deleted address', HOUR, 'not_found'),
  deletedAddress: time('a deleted address', 30 * DAY, 'it is removed, unless an order uses it'),
  picture: size('a picture, or an image or cover of an NFT', 10 * MEBIBYTE, 'payload_too_large'),
  pixels: count('pixels of the same', 50_000_000, 'payload_too_large'),
  pictures: quota('pictures', 'day', 'pictures and covers of a user, also broken ones', 20),
  converted: setBy(
    'MAX_PICTURES_PER_DAY',
    perDay('avatars that the instance converts', 100, 'try_later'),
  ),
  art: setBy(
    'MAX_ART_PER_DAY',
    perDay(
      'art of NFTs that the instance converts, besides those',
      50,
      'the drawn cover until the next day; `not_found`, or `try_later` for a cover that is uploaded',
    ),
  ),
  // With more, a flood of requests or a broken picture would use up the conversions of others.
  artDownloads: perHour(
    'downloads of the image of an NFT for each size, also those that fail, until it is stored',
    1,
    'the drawn cover; `not_found`',
  ),
  artConversions: perDay(
    'its conversions for each size, also those that fail',
    1,
    'the drawn cover until the next day; `not_found`',
  ),
  artAge: time(
    'time for which caches keep art that was changed or withdrawn',
    HOUR,
    'they ask again',
  ),
  tokens: count('live API tokens of a user', 50, 'conflict'),
  newTokens: quota('new tokens', 'day', 'new API tokens of a user, rolled ones too', 100),
  signIns: quota('sign-ins', 'day', 'sign-ins of a user', 100),
  // An unlinked wallet adds an event for everything that waits to be delivered to the user.
  unlinks: quota('unlinks', 'day', 'unlinked ways to sign in of a user', 10),
  endedToken: time('the row of a token or session after its end', 30 * DAY, 'it is removed'),
  session: time('a session', 30 * DAY, 'unauthenticated'),
  recentSignIn: time(
    'age of the sign-in, for what changes how to get in, and for what cannot be undone',
    10 * MINUTE,
    'reauthentication_required',
  ),
  firstWallet: time(
    'the same, for linking the first wallet of an account',
    HOUR,
    'reauthentication_required',
  ),
}

export const mailLimits = {
  link: time('a mailed link', 15 * MINUTE, '`link_expired`; the next cron run removes it'),
  message: time(
    'a message to sign with a wallet',
    10 * MINUTE,
    '`unauthenticated`; the next cron run removes it',
  ),
  phone: time(
    'a code by which a phone proves a wallet',
    10 * MINUTE,
    '`link_expired`; the next cron run removes it',
  ),
  // By client, so that others cannot keep the owner of a mailbox out.
  signInLinks: count(
    'sign-in links for a client address and a mailbox in 15 minutes',
    6,
    'no mail',
  ),
  liveLinks: count('of these, links that work', 3, 'the oldest does not work any more'),
  accountLinks: count('links that add an address to an account in 15 minutes', 3),
  account: perDay('mails to a recipient about the account', 30, 'no mail'),
  webhooks: perDay('mails to a recipient about webhooks', 10, 'no mail'),
  reviews: perDay('mails to a recipient about what was reviewed', 30, 'no mail'),
  alarms: perDay('mails to a recipient about alarms', 500, 'no mail'),
  alarmRuns: perHour(
    'times that alarms begin or last in mails, and as many for critical ones',
    10,
    'told together, in the next hour',
  ),
  webhook: perDay('of these, mails of each kind for each webhook', 1, 'no mail'),
  mailbox: { ...quota('mailbox', 'day', 'mails to a mailbox about orders', 10), at: 'no mail' },
  seller: { ...quota('mailbox', 'day', 'of these, mails because of one seller', 3), at: 'no mail' },
  summary: {
    ...quota('summary', 'day', 'mails to a mailbox about the orders for which it got none', 1),
    at: 'no mail',
  },
  approval: time(
    'time until a seller is reminded again to approve the Delivery contract for a token contract',
    30 * DAY,
    'a mail',
  ),
  reminder: time('time until the reminder of an order that waits for a wallet', 3 * DAY, 'a mail'),
  lastReminder: time('time until the last reminder', 14 * DAY, 'a mail'),
  unclaimed: time(
    'time until the shop gets to know that nobody has claimed it',
    21 * DAY,
    'the event `order.unclaimed`; it waits on',
  ),
  perHour: setBy(
    'MAX_MAILS_PER_HOUR',
    perHour('mails of the instance, without those about orders', 100, 'no mail'),
  ),
  perDay: setBy('MAX_MAILS_PER_DAY', perDay('the same', 500, 'no mail')),
  orders: {
    ...quota('order-mails', 'day', 'mails of the instance about orders', 1000),
    at: 'sent the next day, unless they are three days old then',
    variable: 'MAX_ORDER_MAILS_PER_DAY',
  },
  share: share(
    'of these three, mails for addresses that no user has or that are to be linked, and those about orders that the user tokens of one user have placed',
    0.5,
    'no mail; `try_later` for an address that is to be linked',
  ),
}

export const webhookLimits = {
  webhooks: count(
    'webhooks of a user, or of the name of a token with the scope `orders`',
    10,
    'conflict',
  ),
  // Each gets a test, and may be somebody else's.
  newWebhooks: quota('webhooks', 'day', 'new webhooks, counted in the same way', 30),
  sources: count('names in `sources` of a webhook', 20, 'invalid_input'),
  testsPerDay: quota('webhook_tests', 'day', 'tests of a webhook', 100),
  testsPerMinute: quota('webhook_tests', 'minute', 'tests of a webhook', 10),
  replays: quota('webhook_replays', 'day', 'replays of a webhook', 6),
  answer: time('an attempt, until the answer', 15 * SECOND, 'it failed'),
  pending: count(
    'messages of a webhook that wait for another attempt',
    1000,
    'further events wait in the log',
  ),
  turn: time('turn of a webhook', 60 * SECOND, 'it goes on next time'),
  sharedTurn: time('the same, while another webhook waits', 5 * SECOND, 'it goes on next time'),
  atOnce: count('webhooks of a user that are sent to at once', 2, 'the others wait'),
  pause: time(
    'pause of a webhook that fails, which begins with 5 or 10 seconds',
    5 * MINUTE,
    'one message at a time',
  ),
  warned: time('failure, until the owner of a webhook is warned', 4 * DAY, 'a mail'),
  disabled: time(
    'failure of a webhook',
    5 * DAY,
    'it is disabled, a day after the mail at the earliest',
  ),
  event: time(
    'an event in the log',
    30 * DAY,
    '`events_removed` for who asks for what followed it',
  ),
  behind: time(
    'of an event for which a webhook waits, the last days',
    3 * DAY,
    'a mail to its owner',
  ),
  window: count(
    'events that a call looks at, but with a master token without `source`',
    1000,
    'the page is shorter than `limit`',
  ),
}

export const catalogueLimits = {
  named: count('listings or NFTs to list or to get in a call', 100, 'invalid_input'),
  candidates: count(
    'candidates that a call that lists them looks at',
    MAX_CANDIDATES,
    'the page is shorter than `limit`',
  ),
  description: count('characters of a public description', 2000, 'the rest is left out'),
  records: count('records whose numbers a call finds', 1000, 'invalid_input'),
  lines: count('lines of a call of an import', 1000, 'payload_too_large'),
  body: size('a call of an import', 4 * MEBIBYTE, 'payload_too_large'),
  // One transaction writes them, and D1 stops a statement after 30 seconds.
  importLines: count(
    'lines of an import; the command divides a larger file',
    20_000,
    'payload_too_large',
  ),
  // The metadata of some collections holds the picture.
  lineLength: count('characters of a line of an import', 128 * 1024, 'invalid_input'),
  metadata: size(
    'the metadata to which the URI of a token leads',
    128 * KIBIBYTE,
    'it is not read',
  ),
}

export const creatorLimits = {
  newRecords: quota('records', 'day', 'new NFTs and listings of a user', 100),
  questions: quota(
    'chain',
    'minute',
    'questions of a user to the chain, about what is to be listed',
    20,
  ),
  reports: quota('reports', 'day', 'reports of a user about NFTs', 5),
  report: count('characters of a report', 500, 'invalid_input'),
  reason: count(
    'characters of the sentence with which a proposal is rejected',
    500,
    'invalid_input',
  ),
  tokens: count('tokens whose pieces in a wallet a call reads', 20, 'invalid_input'),
  content: share(
    'of the bytes of the files of all NFTs, those of one user who lists by `PUT /api/nfts/{ref}`',
    0.1,
    'content_full',
  ),
  covers: share(
    'of the art of NFTs that the instance converts a day, covers that people upload',
    0.5,
    'try_later',
  ),
}

export const contentLimits = {
  payload: count('characters of `payload` of a record, as JSON', 16 * 1024, 'invalid_input'),
  phrase: count('characters of a phrase', 1000, 'invalid_input'),
  files: count('files of an NFT', 20, 'invalid_input'),
  // Cloudflare takes bodies of 100 MB.
  file: size('a file', 95 * MEBIBYTE, 'invalid_input'),
  ofNft: size('the files of an NFT together', 1024 * MEBIBYTE, 'invalid_input'),
  stored: setBy(
    'MAX_CONTENT_BYTES',
    size('the files of all NFTs together', 50 * 1024 * MEBIBYTE, 'content_full'),
  ),
  code: count('characters of a code', 200, 'invalid_input'),
  codes: count('codes of an NFT', 100_000, 'content_full'),
  codeLines: count('codes of a call', 10_000, 'payload_too_large'),
  codeBody: size('a call with codes', 4 * MEBIBYTE, 'payload_too_large'),
  removed: time('a file that the catalogue names no more', DAY, 'it is deleted'),
  url: time('the URL of a file', 5 * MINUTE, 'link_expired'),
  counted: time('the number of downloads of a day', 90 * DAY, 'it is removed'),
}

export const operatorLimits = {
  review: time('what waits to be reviewed', 3 * DAY, 'the alarm `review_waiting`'),
  alarmAge: setBy(
    'DELIVERY_ALARM_MINUTES',
    time('age of a paid item with a recipient', 30 * MINUTE, 'the alarm `deliveries_delayed`'),
  ),
  alarmShare: share(
    'pieces of the limit of a relayer in the contract; mails and pictures of a day or an hour; bytes of the files of NFTs',
    0.8,
    'the alarms `relayer_limit_low` and `quota_low`',
  ),
  changed: count('transfers a call changes', 1000, 'the first are changed; call again'),
  mailsAgain: {
    ...quota('mails-again', 'day', 'mails about orders that an operator sends again', 50),
    at: 'no mail',
  },
  searched: count(
    'newest deliveries and transactions that a search looks at: for an older key, `npm run contract -- audit` tells the transaction',
    10_000,
    'nothing is found',
  ),
}
