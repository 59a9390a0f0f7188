/** Settings → API Access: the tokens of a user, and all tokens for administrators. */
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { isRecent } from '../../auth/session.ts'
import { tokenRoles, tokenScopes } from '../../db/schema/users.ts'
import type { App } from '../../http/context.ts'
import {
  type AppWithCaller,
  requireAdministrator,
  requireSession,
  validate,
} from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'
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
import { sentence } from '../components/field.tsx'
import { notifyOwner } from '../notify-owner.ts'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { AllTokens, everyonePath } from './all-tokens.tsx'
import { OwnTokens, type RejectedForm } from './own-tokens.tsx'
import { TokenDetails } from './token-details.tsx'

const TokenId = z.object({ id: z.uuid() })

const NewToken = z.object({
  name: inputText(1000),
  /** Only administrators can generate a `master` token. */
  role: z.enum(tokenRoles).default('user'),
  scope: z.enum(tokenScopes).default('write'),
  /** Days until the token expires. */
  days: z.enum(['365', '90', '30', '7']).default('365').transform(Number),
})

/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1000

const AllTokensFilter = z.object({
  /** A user id, an e-mail address or a wallet: show only the tokens of this user. */
  owner: inputText(254).trim().optional(),
  /** `<createdAt>,<id>`: show tokens that are older than this one. */
  after: z.templateLiteral([z.iso.datetime(), ',', z.uuid()]).optional(),
})

export const apiAccessRoutes = new Hono<App>()
  .get(
    '/settings/api-access',
    requireSession(),
    validate('query', z.object({ notice: NoticeName })),
    (c) => ownTokensPage(c, { notice: c.req.valid('query').notice }),
  )
  .post(
    '/settings/api-access/tokens',
    requireSession(),
    tokenRateLimit,
    validate('form', NewToken),
    async (c) => {
      const { days, ...form } = c.req.valid('form')
      // Metrics are of the whole instance.
      const input = form.scope === 'metrics' ? { ...form, role: 'master' as const } : form
      const name = TokenName.safeParse(input.name)
      if (!name.success) {
        const problem = sentence(name.error.issues[0]?.message ?? 'is not valid')
        return ownTokensPage(c, { form: { name: input.name, problem }, status: 400 })
      }
      const token = { ...input, name: name.data, lifetime: days * DAY }
      try {
        const { id, email } = await generateToken(c.var, token)
        if (token.role === 'master')
          notifyOwner(c, email, { type: 'master-token', name: token.name })
        return c.redirect(`/settings/api-access/tokens/${id}`, 303)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
        const form = { name: token.name, problem: sentence(error.message) }
        return ownTokensPage(c, { form, status: 409 })
      }
    },
  )
  .get(
    '/settings/api-access/tokens/:id',
    requireSession(),
    validate('param', TokenId),
    validate('query', z.object({ notice: NoticeName })),
    async (c) => {
      const { settings, now } = c.var
      const details = await readToken(c.var, c.req.valid('param').id)
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
    requireSession(),
    tokenRateLimit,
    validate('param', TokenId),
    async (c) => {
      const rolled = await rollToken(c.var, c.req.valid('param').id)
      if (rolled.role === 'master')
        notifyOwner(c, rolled.email, { type: 'master-token', name: rolled.name })
      return c.redirect(`/settings/api-access/tokens/${rolled.id}?notice=token-rolled`, 303)
    },
  )
  .post(
    '/settings/api-access/tokens/:id/revoke',
    requireSession(),
    validate('param', TokenId),
    validate('form', AllTokensFilter.extend({ back: z.literal('everyone').optional() })),
    async (c) => {
      await revokeToken(c.var, c.req.valid('param').id)
      const { back, ...filter } = c.req.valid('form')
      const path = back
        ? everyonePath({ ...filter, notice: 'token-revoked' })
        : '/settings/api-access?notice=token-revoked'
      return c.redirect(path, 303)
    },
  )
  .get(
    '/settings/api-access/everyone',
    requireAdministrator(),
    validate('query', AllTokensFilter.extend({ notice: NoticeName })),
    async (c) => {
      const { notice, owner, after } = c.req.valid('query')
      const [createdAt, id] = after?.split(',') ?? []
      const cursor = createdAt && id ? { createdAt, id } : undefined
      const all = await readAllTokens(c.var, { owner, after: cursor })
      return page(c, {
        title: 'Everyone’s tokens',
        account: all.account,
        scripts: ['dialog.js'],
        children: (
          <AllTokens {...all} owner={owner} after={after} now={c.var.now} notice={notice} />
        ),
      })
    },
  )

type OwnTokensState = {
  notice?: Notice | undefined
  form?: RejectedForm
  status?: ContentfulStatusCode
}

/** The page with the tokens of the user, and the form that was rejected. */
async function ownTokensPage(
  c: Context<AppWithCaller>,
  { notice, form, status = 200 }: OwnTokensState,
) {
  const { now } = c.var
  const own = await readOwnTokens(c.var)
  const canChange = isRecent(own.account, now)
  return page(c, {
    title: 'API Access',
    account: own.account,
    scripts: ['dialog.js'],
    status,
    children: <OwnTokens {...own} canChange={canChange} now={now} notice={notice} form={form} />,
  })
}
