/** Settings → API Access: the tokens of a user, and all tokens for administrators. */
import type { Context } from 'hono'
import * as z from 'zod'
import { tokenRoles, tokenScopes } from '../../db/schema/users.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { inputText, writtenText } from '../../http/inputs.ts'
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
import { DAY } from '../../time.ts'
import { handleForm, parseForm } from '../components/forms.tsx'
import { pathWith } from '../components/text.ts'
import { notifyOwner } from '../notify-owner.ts'
import { page, sent, shown } from '../page.tsx'
import { AllTokens, EVERYONE, OwnTokens, TokenDetails } from './views.tsx'

const TokenId = z.object({ id: z.uuid() })

const NewToken = z.object({
  name: inputText(1000),
  /** Only administrators can generate a `master` token. */
  role: z.enum(tokenRoles).default('user'),
  scope: z.enum(tokenScopes).default('write'),
  /** Days until the token expires. */
  days: z.enum(['365', '90', '30', '7']).default('365').transform(Number),
})

const AllTokensFilter = z.object({
  /** A user id, an e-mail address or a wallet: show only the tokens of this user. */
  owner: writtenText(254).optional(),
  /** `<createdAt>,<id>`: show tokens that are older than this one. */
  after: z.templateLiteral([z.iso.datetime(), ',', z.uuid()]).optional(),
})

/** Where it was revoked: in the list of all tokens, or else in that of the user. */
const Revocation = AllTokensFilter.extend({ back: z.literal('everyone').optional() })

const section = 'api-access'
const scripts = ['dialog.js']
const checks = [tokenRateLimit]
const tokenPage = shown.session({ param: TokenId })
const roll = { ...sent.session({ param: TokenId }), checks }
const revoke = sent.session({ param: TokenId, form: Revocation })
const everyonePage = shown.administrator({ query: AllTokensFilter })

/** What the page says after a redirect. */
const notices = {
  'token-revoked': 'The token is revoked. Programs that use it now get 401.',
  'token-rolled': 'This is the new token. The old one works for 24 hours more.',
}

export const apiAccessRoutes = new Endpoints()
  .get('/settings/api-access', shown.session({}), ownTokensPage)
  .post(
    '/settings/api-access/tokens',
    { ...sent.session({ form: NewToken }), checks },
    handleForm(ownTokensPage, 'name', async (c, { form: { days, scope, ...form } }) => {
      // Metrics are of the whole instance, and a shop sells for every seller.
      const role = scope === 'metrics' || scope === 'orders' ? 'master' : form.role
      const name = parseForm(TokenName, form.name)
      const { id, email } = await generateToken(c.var, { name, role, scope, lifetime: days * DAY })
      if (role === 'master') notifyOwner(c, { email }, { type: 'master-token', name })
      return c.redirect(`/settings/api-access/tokens/${id}`, 303)
    }),
  )
  .get('/settings/api-access/tokens/:id', tokenPage, async (c, { param }) => {
    const { account, ...details } = await readToken(c.var, param.id)
    const { name } = details.token
    const view = <TokenDetails {...details} />
    return page(c, { title: name, section, notices, account, scripts: ['copy.js'] }, view)
  })
  .post('/settings/api-access/tokens/:id/roll', roll, async (c, { param }) => {
    const rolled = await rollToken(c.var, param.id)
    if (rolled.role === 'master')
      notifyOwner(c, { email: rolled.email }, { type: 'master-token', name: rolled.name })
    return c.redirect(`/settings/api-access/tokens/${rolled.id}?notice=token-rolled`, 303)
  })
  .post('/settings/api-access/tokens/:id/revoke', revoke, async (c, { param, form }) => {
    const { back, ...filter } = form
    await revokeToken(c.var, param.id)
    const path = back ? EVERYONE : '/settings/api-access'
    return c.redirect(pathWith(path, { ...filter, notice: 'token-revoked' }), 303)
  })
  .get('/settings/api-access/everyone', everyonePage, async (c, { query }) => {
    const { owner, after } = query
    const [createdAt, id] = after?.split(',') ?? []
    const cursor = createdAt && id ? { createdAt, id } : undefined
    const { account, ...all } = await readAllTokens(c.var, { owner, after: cursor })
    const view = <AllTokens {...all} owner={owner} after={after} />
    return page(c, { title: 'Everyone’s tokens', section, notices, account, scripts }, view)
  })

async function ownTokensPage(c: Context<AppWithCaller>) {
  const { account, tokens } = await readOwnTokens(c.var)
  const view = <OwnTokens tokens={tokens} />
  return page(c, { title: 'API Access', section, notices, account, scripts }, view)
}
