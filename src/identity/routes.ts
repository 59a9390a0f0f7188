import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { anyone } from '../http/door.ts'
import { publicKeys } from './tokens.ts'

const JwkSet = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      kid: z.string(),
      x: z.string(),
      alg: z.literal('EdDSA'),
      use: z.literal('sig'),
    }),
  ),
})

export const identity = new Hono<App>().get(
  '/.well-known/jwks.json',
  anyone({
    tag: 'Identity',
    summary: 'The keys that verify tokens (RFC 7517)',
    answer: JwkSet,
  }),
  (c) => {
    const { PUBLIC_URL, JWT_KEYS } = c.var.settings
    return c.json(publicKeys({ url: PUBLIC_URL, keys: JWT_KEYS.keys }))
  },
)
