/** Settings → API Access: the tokens of a user, and all tokens for administrators. */
import { Hono } from 'hono'
import * as z from 'zod'
import { isRecent } from '../../auth/session.ts'
import { issuerOf } from '../../auth/tokens.ts'
import { tokenRoles, tokenScopes } from '../../db/schema.ts'
import type { App } from '../../http/context.ts'
import { requireToken, validate } from '../../http/endpoint.ts'
import { tokenRateLimit } from '../../http/rate-limit.ts'
import { readAllTokens } from '../../identity/all-tokens.ts'
import {
  generateToken,
  readOwnTokens,
  readToken,
  revokeToken,
  rollToken,
} from '../../identity/api-tokens.ts'
import { TokenName } from '../../identity/namespace.ts'
import { page } from '../page.tsx'
import { NoticeName } from '../settings.tsx'
import { tellOwner } from '../tell-owner.ts'
import { AllTokens, OwnTokens, TokenDetails } from './views.tsx'

const TokenId = z.object({ id: z.uuid() })

const NewToken = z.object({
  name: TokenName,
  role: z
    .enum(tokenRoles)
    .default('user')
    .describe('A `master` token acts for every user. Only administrators can generate one.'),
  scope: z
    .enum(tokenScopes)
    .default('write')
    .describe('A `read` token cannot change anything. `write` includes reading.'),
  days: z
    .enum(['365', '90', '30', '7'])
    .default('365')
    .transform(Number)
    .describe('Days until the token expires.'),
})

/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1000

const AllTokensQuery = z.object({
  notice: NoticeName,
  owner: z
    .string()
    .trim()
    .max(254)
    .optional()
    .describe('Show only the tokens of this user: a user id, an e-mail address or a wallet.'),
  after: z
    .templateLiteral([z.iso.datetime(), ',', z.uuid()])
    .optional()
    .describe('Show tokens that are older than this one: `<createdAt>,<id>`.'),
})

export const apiAccessRoutes = new Hono<App>()
  .get(
    '/settings/api-access',
    requireToken(),
    validate('query', z.object({ notice: NoticeName })),
    async (c) => {
      const { db, caller, now } = c.var
      const own = await readOwnTokens(db, caller)
      return page(c, {
        title: 'API Access',
        account: own.account,
        children: (
          <OwnTokens
            {...own}
            canChange={isRecent(own.account, now)}
            now={now}
            notice={c.req.valid('query').notice}
          />
        ),
      })
    },
  )
  .post(
    '/settings/api-access/tokens',
    requireToken(),
    tokenRateLimit,
    validate('form', NewToken),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const { days, ...input } = c.req.valid('form')
      const token = { ...input, lifetime: days * DAY }
      const { id, email } = await generateToken(db, issuerOf(settings), caller, token, now)
      if (input.role === 'master') tellOwner(c, email, { type: 'master-token', name: input.name })
      return c.redirect(`/settings/api-access/tokens/${id}`, 303)
    },
  )
  .get(
    '/settings/api-access/tokens/:id',
    requireToken(),
    validate('param', TokenId),
    validate('query', z.object({ notice: NoticeName })),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const details = await readToken(db, issuerOf(settings), caller, c.req.valid('param').id, now)
      return page(c, {
        title: details.token.name,
        account: details.account,
        scripts: ['copy.js'],
        children: (
          <TokenDetails
            {...details}
            url={settings.PUBLIC_URL}
            now={now}
            notice={c.req.valid('query').notice}
          />
        ),
      })
    },
  )
  .post(
    '/settings/api-access/tokens/:id/roll',
    requireToken(),
    tokenRateLimit,
    validate('param', TokenId),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const { id } = c.req.valid('param')
      const rolled = await rollToken(db, issuerOf(settings), caller, id, now)
      if (rolled.role === 'master')
        tellOwner(c, rolled.email, { type: 'master-token', name: rolled.name })
      return c.redirect(`/settings/api-access/tokens/${rolled.id}?notice=token-rolled`, 303)
    },
  )
  .post(
    '/settings/api-access/tokens/:id/revoke',
    requireToken(),
    validate('param', TokenId),
    validate('form', z.object({ back: z.literal('everyone').optional() })),
    async (c) => {
      const { db, caller, now } = c.var
      await revokeToken(db, caller, c.req.valid('param').id, now)
      const tab = c.req.valid('form').back === 'everyone' ? '/everyone' : ''
      return c.redirect(`/settings/api-access${tab}?notice=token-revoked`, 303)
    },
  )
  .get(
    '/settings/api-access/everyone',
    requireToken(),
    validate('query', AllTokensQuery),
    async (c) => {
      const { db, caller, now } = c.var
      const { notice, owner, after } = c.req.valid('query')
      const [createdAt, id] = after?.split(',') ?? []
      const cursor = createdAt && id ? { createdAt, id } : undefined
      const all = await readAllTokens(db, caller, { owner, after: cursor }, now)
      return page(c, {
        title: 'Everyone’s tokens',
        account: all.account,
        children: <AllTokens {...all} owner={owner} after={after} now={now} notice={notice} />,
      })
    },
  )
