/** Parses the configuration once. Errors name the variable. */
import type { Hex } from 'viem'
import { getAddress, isAddress } from 'viem/utils'
import * as z from 'zod'
import { contentLimits, mailLimits, operatorLimits, orderLimits, peopleLimits } from './limits.ts'
import { MINUTE } from './time.ts'

const nonEmpty = z.string().min(1)
const positiveNumber = z.number().positive()
const positiveInteger = z.int().min(1)
const visibleText = (max: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[^\\p{C}<>"]{1,${max}}$`, 'u'),
      `must be 1 to ${max} visible characters, without <, > and "`,
    )
const integerFrom = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum)

const httpUrl = z.url({ protocol: /^https?$/ })
const httpsUrl = z.url({ protocol: /^https$/ })
const withoutSlash = httpUrl.transform((url) => url.replace(/\/+$/, ''))
const origin = httpUrl.transform((url) => new URL(url).origin)

const parsedJson = z.transform((value, { issues }) => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    issues.push({ code: 'custom', message: 'must be JSON', input: value })
    return z.NEVER
  }
})
/** A variable with JSON: an object in wrangler.toml, or text in a secret. */
export const json = <T extends z.ZodType>(schema: T) => parsedJson.pipe(schema)

const signingKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: nonEmpty,
  x: z.string(),
  d: z.string(),
})

/** A key of AES-256 (RFC 7518, 6.4). */
const codeKey = z.object({
  kty: z.literal('oct'),
  kid: z.string().regex(/^[\w-]+$/, 'must be letters, digits, - or _'),
  k: z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'),
})

/** A host in the spelling of `URL.host`. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\]):(\d{1,5}|\*)$/

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address')
  .transform((text) => getAddress(text))

/** What a wallet needs to add the chain: all of them, or none. */
const walletSettings = ['name', 'walletRpcUrl', 'nativeCurrency'] as const

export const networkFields = z.object({
  chainId: positiveInteger,
  /** Nodes, tried in this order. One that fails or lags is left out for a minute. */
  rpcUrls: z.array(httpUrl).min(1),
  delivery: address,
  /** When a block is final: the tag of the node, or a number of blocks including its own. */
  finality: z.union([z.literal('finalized'), positiveInteger]),
  /** Gas limit of one transfer, with everything that token and recipient do. */
  gasPerItem: integerFrom(50_000, 10_000_000).default(300_000),
  itemsPerTransaction: integerFrom(1, 256).default(50),
  /** Maximum number of transactions of one signer that wait to be mined. */
  transactionsInFlight: integerFrom(1, 64).default(8),
  callsPerSecond: positiveNumber.default(100),
  callsPerBatch: positiveInteger.default(10),
  /** Upper limit for the price of a unit of gas. */
  maxFeePerGasGwei: positiveNumber,
  /** Upper limit for the part of it that block producers get. */
  maxPriorityFeePerGasGwei: positiveNumber,
  /** Block explorer, for links to transactions. */
  explorerUrl: httpUrl.optional(),
  /** The wallet that holds NFTs for sale, as `delivery/holder.ts` says. Without it, sellers hold them. */
  treasury: address.optional(),
  /** The name of the chain in wallets (EIP-3085, as the next two). */
  name: nonEmpty.optional(),
  /** A node for wallets. `rpcUrls` may hold keys, so they never leave. */
  walletRpcUrl: httpsUrl.optional(),
  nativeCurrency: z
    .object({
      name: nonEmpty,
      symbol: z.string().min(2).max(6),
      decimals: z.int().nonnegative(),
    })
    .optional(),
})

const network = networkFields.superRefine((settings, context) => {
  const missing = walletSettings.filter((key) => settings[key] === undefined)
  if (missing.length === walletSettings.length) return
  for (const key of missing)
    context.addIssue({
      code: 'custom',
      path: [key],
      message: `set all of ${walletSettings.join(', ')}, or none`,
    })
})

/** Deliveries are pinned to a chain, so two networks must not share one. */
const networks = z
  .record(z.string(), network)
  .refine(
    (all) =>
      new Set(Object.values(all).map(({ chainId }) => chainId)).size === Object.keys(all).length,
    'two networks have the same chainId',
  )
  // A name that all objects have, such as `constructor`, is no network.
  .transform((all): typeof all => Object.assign(Object.create(null), all))

const loopbackHosts = z
  .string()
  .default('')
  .transform((hosts) => hosts.split(',').flatMap((host) => host.trim() || []))
  .pipe(z.array(z.string().regex(LOOPBACK_HOST, 'must be a loopback host and its port, or *')))

const signerKey = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, 'must be 32 bytes in hex')
  .transform((key): Hex => `0x${key.slice(2)}`)
const signerKeys = z
  .string()
  .transform((keys) => [...new Set(keys.split(',').map((key) => key.trim().toLowerCase()))])
  .pipe(z.array(signerKey))

/** The variables that issuing tokens requires. */
export const issuerSchema = z.object({
  PUBLIC_URL: withoutSlash,
  /** JWK set of Ed25519 private keys. The first signs, and every key verifies. */
  JWT_KEYS: json(z.object({ keys: z.array(signingKey).min(1) })),
})

/** In the order of the foot of pages and mails. */
export const legalDocuments = ['imprint', 'terms', 'privacy'] as const

/** Also what error pages say if the configuration is not valid. */
export const DEFAULT_NAME = 'Marketplace'

const count = z.coerce.number<string | number>().pipe(positiveInteger)

export const settingsSchema = issuerSchema.extend({
  EMAIL_FROM: z.email(),
  /** Who gets mails about alarms, in place of the administrators. */
  ALARM_EMAIL: z.email().optional(),
  /** Origins that a sign-in may redirect to, besides that of PUBLIC_URL. */
  REDIRECT_ORIGINS: json(z.array(origin)),
  /** Where the covers of NFTs are stored: `<COVERS_URL>/<coverKey>`. */
  COVERS_URL: withoutSlash.optional(),
  /** Where what `ipfs://` names is fetched from, as in `https://ipfs.io/ipfs`. Without it, it is not. */
  IPFS_GATEWAY: withoutSlash.optional(),
  /** Networks by name. The name is the `contractNetwork` of an NFT. */
  NETWORKS: json(networks),
  /** Loopback servers to fetch avatars from and to send webhooks to, as in `127.0.0.1:8000,localhost:*`. */
  LOOPBACK_HOSTS: loopbackHosts,
  /** Orders that all user tokens of a user together may have that are not ended. */
  MAX_OPEN_ORDERS: count.default(orderLimits.open.max),
  /** Minutes after which a paid delivery with a recipient raises an alarm if it has not ended. */
  DELIVERY_ALARM_MINUTES: count.default(operatorLimits.alarmAge.max / MINUTE),
  /** Avatars that are converted in a day (UTC). Cloudflare converts 5,000 a month for nothing. */
  MAX_PICTURES_PER_DAY: count.default(peopleLimits.converted.max),
  /** Conversions of the art of NFTs in a day (UTC), besides those. */
  MAX_ART_PER_DAY: count.default(peopleLimits.art.max),
  /** Bytes of the files of all NFTs together. */
  MAX_CONTENT_BYTES: count.default(contentLimits.stored.max),
  /** Mails in an hour and in a day (UTC). Half of them may go to addresses that no user has. */
  MAX_MAILS_PER_HOUR: count.default(mailLimits.perHour.max),
  MAX_MAILS_PER_DAY: count.default(mailLimits.perDay.max),
  /** Mails about orders in a day (UTC), besides those. With 0, none is sent. */
  MAX_ORDER_MAILS_PER_DAY: z.coerce
    .number<string | number>()
    .pipe(z.int().min(0))
    .default(mailLimits.orders.max),
  /** What pages and mails call the instance. */
  INSTANCE_NAME: visibleText(50).default(DEFAULT_NAME),
  /** The colour of buttons on pages and in mails. */
  INSTANCE_COLOR: z
    .string()
    .regex(/^#[\da-f]{6}$/i, 'must be # and 6 hexadecimal digits')
    .optional(),
  /** The picture beside the name, on pages and in mails. */
  INSTANCE_LOGO: httpsUrl.optional(),
  /** Who runs the instance: a company or a person, as pages and mails name them. */
  OPERATOR_NAME: visibleText(100).optional(),
  /** Who may list NFTs by themselves: nobody, whom an administrator approves, or whoever is signed in. */
  CREATORS: z.enum(['off', 'invited', 'open']).default('invited'),
  /** Whom people ask, in the foot of pages and mails. */
  SUPPORT_EMAIL: z.email().optional(),
  /** What the foot of pages and mails links to. */
  LEGAL_LINKS: json(z.partialRecord(z.enum(legalDocuments), httpsUrl)).default({}),
  /** The keys of Cloudflare Turnstile, for the form that asks for a sign-in link. Both or neither. */
  TURNSTILE_SITE_KEY: nonEmpty.optional(),
  TURNSTILE_SECRET: nonEmpty.optional(),
  /** Private keys of the relayers, separated by commas. */
  TRANSFER_SIGNER_KEYS: signerKeys,
  /** Makes delivery keys from the order numbers of shops. Never changes. */
  DELIVERY_KEY_SECRET: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 32 bytes in hex'),
  /** JWK set of AES keys. The first encrypts the codes of NFTs, and every key decrypts them. */
  CODE_KEYS: json(z.object({ keys: z.array(codeKey).min(1) })),
})

const checkedSettings = settingsSchema.refine(
  ({ TURNSTILE_SITE_KEY, TURNSTILE_SECRET }) => !TURNSTILE_SITE_KEY === !TURNSTILE_SECRET,
  { path: ['TURNSTILE_SECRET'], error: 'set both keys of Turnstile, or none' },
)

export type Network = z.infer<typeof network>
export type SigningKey = z.infer<typeof signingKey>
export type Settings = z.infer<typeof settingsSchema>

export const variables = Object.keys(settingsSchema.shape)

export const configuredChainIds = ({ NETWORKS }: Pick<Settings, 'NETWORKS'>): number[] =>
  Object.values(NETWORKS).map(({ chainId }) => chainId)

/** A variable is missing or not valid. The message names each of them. */
export class InvalidConfiguration extends Error {}

const parsed = new WeakMap<Env, Settings>()

/** Returns the settings of this deployment. Throws `InvalidConfiguration`. */
export function readSettings(env: Env): Settings {
  const cached = parsed.get(env)
  if (cached) return cached
  const result = checkedSettings.safeParse(env)
  if (!result.success) {
    // The error has no values, because a value may be a secret.
    const problems = result.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`)
    throw new InvalidConfiguration(`configuration is not valid: ${problems.join('; ')}`)
  }
  parsed.set(env, result.data)
  return result.data
}
