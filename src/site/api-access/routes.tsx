/** Settings → API Access (contract, Authentication 3). */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { callers, valid } from '../../http/door.ts'
import { generateToken, readOwnTokens, readToken, revokeToken } from '../../identity/api-tokens.ts'
import { readEveryonesTokens } from '../../identity/everyones-tokens.ts'
import { issuerOf } from '../../identity/tokens.ts'
import { page } from '../page.tsx'
import { NoticeName } from '../settings.tsx'
import { EveryonesTokens, OneToken, OwnTokens } from './views.tsx'

const tag = 'Pages'
const Id = z.object({ id: z.uuid() })

const NewToken = z.object({
  name: z.string().trim().min(1, 'must not be empty').max(100),
  role: z.enum(['user', 'master']).default('user'),
})

const Everyone = z.object({
  notice: NoticeName,
  owner: z.string().trim().max(254).optional(),
  after: z.templateLiteral([z.iso.datetime(), ',', z.uuid()]).optional(),
})

export const apiAccessPages = new Hono<App>()
  .get(
    '/settings/api-access',
    callers({ tag, summary: 'The API tokens of the signed-in user', answer: 'page' }),
    valid('query', z.object({ notice: NoticeName })),
    async (c) => {
      const { db, caller, now } = c.var
      const own = await readOwnTokens(db, caller)
      return page(c, {
        title: 'API Access',
        account: own.account,
        children: <OwnTokens {...own} now={now} notice={c.req.valid('query').notice} />,
      })
    },
  )
  .post(
    '/settings/api-access/tokens',
    callers({
      tag,
      summary: 'Generate an API token; a master token is for administrators to make',
      answer: 'redirect',
      errors: ['forbidden', 'cross_site', 'conflict'],
    }),
    valid('form', NewToken),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const wanted = c.req.valid('form')
      const { id } = await generateToken(db, issuerOf(settings), caller, wanted, now)
      return c.redirect(`/settings/api-access/tokens/${id}`, 303)
    },
  )
  .get(
    '/settings/api-access/tokens/:id',
    callers({ tag, summary: 'Read an API token again', answer: 'page', errors: ['not_found'] }),
    valid('param', Id),
    async (c) => {
      const { db, settings, caller } = c.var
      const one = await readToken(db, issuerOf(settings), caller, c.req.valid('param').id)
      return page(c, {
        title: one.token.name,
        account: one.account,
        scripts: ['copy.js'],
        children: <OneToken {...one} url={settings.PUBLIC_URL} />,
      })
    },
  )
  .post(
    '/settings/api-access/tokens/:id/revoke',
    callers({
      tag,
      summary: 'Revoke a token: one’s own, or anyone’s when an administrator asks',
      answer: 'redirect',
      errors: ['forbidden', 'cross_site', 'not_found'],
    }),
    valid('param', Id),
    valid('form', z.object({ back: z.literal('everyone').optional() })),
    async (c) => {
      const { db, caller, now } = c.var
      await revokeToken(db, caller, c.req.valid('param').id, now)
      const tab = c.req.valid('form').back === 'everyone' ? '/everyone' : ''
      return c.redirect(`/settings/api-access${tab}?notice=token-revoked`, 303)
    },
  )
  .get(
    '/settings/api-access/everyone',
    callers({
      tag,
      summary: 'Everyone’s live tokens, for administrators',
      answer: 'page',
      errors: ['forbidden'],
    }),
    valid('query', Everyone),
    async (c) => {
      const { db, caller, now } = c.var
      const { notice, owner, after } = c.req.valid('query')
      const [createdAt, id] = after?.split(',') ?? []
      const everyones = await readEveryonesTokens(
        db,
        caller,
        { owner, after: createdAt && id ? { createdAt, id } : undefined },
        now,
      )
      return page(c, {
        title: 'Everyone’s tokens',
        account: everyones.account,
        children: <EveryonesTokens {...everyones} owner={owner} after={after} notice={notice} />,
      })
    },
  )
