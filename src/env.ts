/** The configuration: bindings parsed once, with errors that name the variable. */
import * as z from 'zod'

const httpUrl = z.url({ protocol: /^https?$/ })

/** A variable that holds JSON: an object in wrangler.toml, text when it is a secret. */
const json = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch {
      context.addIssue('must be JSON')
      return z.NEVER
    }
  }, schema)

const signingKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string(),
  d: z.string(),
})

/** Spelled as WHATWG URL spells `host`. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\]):\d{1,5}$/

const network = z.object({
  chainId: z.int().positive(),
  rpcUrl: httpUrl,
  /** Blocks, its own included, after which a transaction counts as final. */
  confirmations: z.int().positive(),
  /** The most transactions of the signer that may wait to be mined at a time. */
  maxInFlight: z.int().positive().default(100),
  /** A transaction not mined for so long is replaced by one with a higher fee. */
  bumpAfterSeconds: z.int().positive().default(60),
  /** The most that a unit of gas may cost, whatever the market asks. */
  maxFeePerGasGwei: z.number().positive().default(500),
  /** How soon to look again at a transfer that is on its way. */
  pollSeconds: z.int().positive().default(5),
  /** The most calls that the node takes in one JSON-RPC batch. */
  maxBatchCalls: z.int().positive().default(1000),
})

/** Nonces belong to a chain, so a chain has one name. */
const networks = z
  .record(z.string(), network)
  .refine(
    (all) => new Set(Object.values(all).map((n) => n.chainId)).size === Object.keys(all).length,
    'two networks have the same chainId',
  )

/** What it takes to issue tokens. */
export const issuerSchema = z.object({
  PUBLIC_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')),
  /** JWK set of Ed25519 private keys: the first signs, all of them verify. */
  JWT_KEYS: json(z.object({ keys: z.array(signingKey).min(1) })),
})

const settingsSchema = issuerSchema.extend({
  EMAIL_FROM: z.email(),
  /** Other sites that signing in may lead back to, beside PUBLIC_URL's own. */
  REDIRECT_ORIGINS: json(z.array(httpUrl.transform((url) => new URL(url).origin))),
  /** `contractNetwork` → how to reach it. */
  NETWORKS: json(networks),
  /** Loopback servers that avatars may be fetched from, as in `127.0.0.1:8000,localhost:3000`. */
  AVATAR_LOOPBACK_HOSTS: z
    .string()
    .default('')
    .transform((hosts) => hosts.split(',').flatMap((host) => host.trim() || []))
    .pipe(z.array(z.string().regex(LOOPBACK_HOST, 'must be a loopback host and its port'))),
  TRANSFER_SIGNER_KEY: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/i, 'must be 32 bytes in hex')
    .transform((key) => key as `0x${string}`),
})

export type Network = z.infer<typeof network>
export type SigningKey = z.infer<typeof signingKey>
export type Settings = z.infer<typeof settingsSchema>

/** The names of all of them. */
export const variables = Object.keys(settingsSchema.shape)

/** The chains that wallets may be on. */
export const chainIdsOf = ({ NETWORKS }: Pick<Settings, 'NETWORKS'>): number[] =>
  Object.values(NETWORKS).map(({ chainId }) => chainId)

const parsed = new WeakMap<Env, Settings>()

/** The settings of this deployment. Throws an error that names each variable that is wrong. */
export function settingsOf(env: Env): Settings {
  const known = parsed.get(env)
  if (known) return known
  const result = settingsSchema.safeParse(env)
  if (!result.success) {
    // Only names and rules: a value may be a secret.
    const problems = result.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`)
    throw new Error(`configuration is not valid: ${problems.join('; ')}`)
  }
  parsed.set(env, result.data)
  return result.data
}
