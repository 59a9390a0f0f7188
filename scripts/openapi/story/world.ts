/** The demo of `npm run dev` in memory, for a script: the real Worker, database and chain. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createTestClient, http } from 'viem'
import { createTestHarness } from 'wrangler'
import {
  API_TOKEN_LIFETIME,
  generateSigningKey,
  newToken,
  signToken,
  type TokenRecord,
} from '../../../src/auth/tokens.ts'
import { connect, type Database } from '../../../src/db/client.ts'
import { tokens } from '../../../src/db/schema/users.ts'
import { tokenNamespace } from '../../../src/identity/namespace.ts'
import { deliveryOwner, seller, supply, transferSigner } from '../../catalogue/demo.ts'
import { loadDemo } from '../../catalogue/load.ts'
import { toPrivateKey } from '../../chain/accounts.ts'
import { startAnvil, whileMining } from '../../chain/anvil.ts'
import { deployCollectibles, LOCAL_CHAIN_ID } from '../../chain/collectibles.ts'
import { deployDelivery } from '../../chain/delivery.ts'

export const PUBLIC_URL = 'https://marketplace.example.com'
/** Open orders that the tokens of a user may have: fewer than usual, so that the story is short. */
const MAX_OPEN_ORDERS = 20

/** Settings of wrangler. */
const QUIET = { WRANGLER_LOG: 'error', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

type TokenRequest = Pick<TokenRecord, 'userId' | 'role'> &
  Partial<Pick<TokenRecord, 'scope'>> & { kind?: 'api' | 'session'; name: string }

export type World = Awaited<ReturnType<typeof createWorld>>

export async function createWorld() {
  const anvil = await startAnvil({ port: 0 })
  const pictures = await servePicture()
  const key = await generateSigningKey()
  const delivery = await whileMining(
    anvil.url,
    deployDelivery(anvil.url, deliveryOwner, { relayers: [transferSigner.address] }),
  )
  const contracts = await whileMining(
    anvil.url,
    deployCollectibles(anvil.url, { seller, operator: delivery, ...supply }),
  )
  const network = { chainId: LOCAL_CHAIN_ID, rpcUrls: [anvil.url], delivery, finality: 1 }
  const server = createTestHarness({
    workers: [
      {
        config: configOf({
          PUBLIC_URL,
          EMAIL_FROM: 'marketplace@example.com',
          REDIRECT_ORIGINS: '[]',
          NETWORKS: JSON.stringify({ localhost: network }),
          LOOPBACK_HOSTS: pictures.host,
          MAX_OPEN_ORDERS: String(MAX_OPEN_ORDERS),
          JWT_KEYS: JSON.stringify({ keys: [key] }),
          TRANSFER_SIGNER_KEYS: toPrivateKey(transferSigner),
          DELIVERY_KEY_SECRET: '07'.repeat(32),
        }),
      },
    ],
  })
  Object.assign(process.env, QUIET)
  await server.listen()
  const worker = server.getWorker<Env>()
  await worker.applyD1Migrations('DB')
  const { DB } = await worker.getEnv()
  const db: Database = connect(DB)
  await loadDemo(db, contracts)
  const issuer = { url: PUBLIC_URL, keys: [key] }
  return {
    fetch: server.fetch,
    /** Runs the cron trigger. */
    runCron: () => worker.scheduled({ cron: '* * * * *' }),
    sql: (text: string) => DB.prepare(text).run<Record<string, unknown>>(),
    chain: createTestClient({ mode: 'anvil', transport: http(anvil.url) }),
    pictureHost: pictures.host,
    /** Stores a token and returns its JWT. */
    issueToken: async (request: TokenRequest, now: Date): Promise<string> => {
      const { kind = 'api', ...owner } = request
      const token = newToken(issuer, owner, API_TOKEN_LIFETIME, now)
      await db.insert(tokens).values({ ...token, kind, namespace: tokenNamespace(token) })
      return signToken(issuer, token)
    },
    stopChain: () => anvil.stop(),
    stop: async () => {
      pictures.server.close()
      await Promise.all([server.close(), anvil.stop()])
    },
  }
}

/** As wrangler.toml, without what the story does not need. */
const configOf = (vars: Record<string, string>) => ({
  name: 'story',
  main: 'scripts/openapi/story/worker.ts',
  compatibility_date: '2026-11-01',
  compatibility_flags: ['nodejs_compat'],
  // One variable, because .dev.vars would replace the others.
  vars: { STORY: JSON.stringify(vars) },
  version_metadata: { binding: 'VERSION' },
  assets: { directory: 'src/pages/assets', binding: 'ASSETS' },
  d1_databases: [{ binding: 'DB', database_id: 'story', migrations_dir: 'migrations' }],
  r2_buckets: [{ binding: 'AVATARS', bucket_name: 'avatars' }],
  images: { binding: 'IMAGES' },
  send_email: [{ name: 'EMAIL' }],
  ratelimits: [
    { name: 'RATE_LIMIT', namespace_id: '1', simple: { limit: 600, period: 60 as const } },
    { name: 'SIGN_IN_LIMIT', namespace_id: '2', simple: { limit: 20, period: 60 as const } },
    { name: 'AVATAR_LIMIT', namespace_id: '3', simple: { limit: 20, period: 60 as const } },
    { name: 'TOKEN_LIMIT', namespace_id: '4', simple: { limit: 10, period: 60 as const } },
  ],
  queues: {
    producers: [
      { binding: 'DELIVERIES', queue: 'deliveries' },
      { binding: 'WEBHOOKS', queue: 'story-webhooks' },
    ],
    consumers: ['deliveries', 'story-webhooks'].map((queue) => ({
      queue,
      max_batch_size: 100,
      max_batch_timeout: 1,
    })),
  },
})

/** Serves a picture to replace an avatar with. */
async function servePicture(): Promise<{ server: Server; host: string }> {
  const picture = await readFile('src/pages/assets/default-avatar.jpg')
  const server = createServer((_request, response) => response.end(picture)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object') throw new Error('the server of pictures has no port')
  return { server, host: `127.0.0.1:${address?.port}` }
}
