/** The page that ends mails about orders, or begins them again. The link to it is in each of them. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { tokenIssuer, verifyOptOut } from '../../auth/tokens.ts'
import type { App } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError, invalidField } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'
import { optIn, optOut } from '../../mail/mail.ts'
import type { Texts } from '../../texts/en.ts'
import { Submit } from '../components/forms.tsx'
import { usePage } from '../components/request.ts'
import { pathWith } from '../components/text.ts'
import { isForPerson } from '../error-pages.tsx'
import { page, sent, shown } from '../page.tsx'

const OptOutQuery = z.object({ token: inputText(2048) })

/** A link that was cut is explained. */
const explainCutLink = createMiddleware<App>(async (c, next) => {
  await next()
  if (!(c.error instanceof ApiError) || c.error.code !== 'invalid_input' || !isForPerson(c)) return
  const title = ({ brokenLink }: Texts) => brokenLink.cut
  c.res = await page(c, { title, account: null, status: 400 }, <CutLink />)
})
const middleware = [explainCutLink]

export const mailRoutes = new Endpoints({ isTranslated: true })
  // Opening the link changes nothing, because mail scanners open links too.
  .get(
    '/mails/unsubscribe',
    { ...shown.public({ query: OptOutQuery }), middleware },
    async (c, { query: { token } }) => {
      await readAddressHash(c, token)
      return mailsPage(c, { token, state: 'asked' })
    },
  )
  // Mail programs call it without a session, and from other sites (RFC 8058).
  .post(
    '/mails/unsubscribe',
    { ...sent.public({ query: OptOutQuery }), middleware },
    async (c, { query: { token } }) => {
      await optOut(c.var, await readAddressHash(c, token))
      return mailsPage(c, { token, state: 'ended' })
    },
  )
  .post(
    '/mails/subscribe',
    { ...sent.public({ query: OptOutQuery }), checks: [requireSameOrigin], middleware },
    async (c, { query: { token } }) => {
      await optIn(c.var, await readAddressHash(c, token))
      return mailsPage(c, { token, state: 'begun' })
    },
  )

async function readAddressHash(c: Context<App>, token: string): Promise<string> {
  const hash = await verifyOptOut(tokenIssuer(c.var.settings), token)
  if (hash === null) throw invalidField('token', 'must be that of a link in a mail')
  return hash
}

type Mails = { token: string; state: 'asked' | 'ended' | 'begun' }

const mailsPage = (c: Context<App>, mails: Mails) =>
  page(
    c,
    { title: ({ unsubscribe }) => unsubscribe.title, account: null },
    <OrderMails {...mails} />,
  )

const OrderMails = ({ token, state }: Mails) => {
  const { title, done, undone, others, submit, undo } = usePage().texts.unsubscribe
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      {state === 'ended' && <p role="status">{done}</p>}
      {state === 'begun' && <p role="status">{undone}</p>}
      {state === 'asked' && (
        <form method="post" class="stack">
          <p>{others}</p>
          <Submit kind="primary">{submit}</Submit>
        </form>
      )}
      {state === 'ended' && (
        <form method="post" action={pathWith('/mails/subscribe', { token })} class="actions">
          <Submit>{undo}</Submit>
        </form>
      )}
    </section>
  )
}

const CutLink = () => {
  const { cut, whyCut } = usePage().texts.brokenLink
  return (
    <section class="card narrow">
      <h1>{cut}</h1>
      <p>{whyCut}</p>
    </section>
  )
}
