/** The page that ends mails about orders. The link to it is in each of them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { tokenIssuer, verifyOptOut } from '../../auth/tokens.ts'
import type { App } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { invalidField } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'
import { optOut } from '../../mail/mail.ts'
import { Submit } from '../components/forms.tsx'
import { usePage } from '../components/request.ts'
import { page, sent, shown } from '../page.tsx'

const OptOutQuery = z.object({ token: inputText(2048) })

export const mailRoutes = new Endpoints()
  // Opening the link changes nothing, because mail scanners open links too.
  .get('/mails/unsubscribe', shown.public({ query: OptOutQuery }), async (c, { query }) => {
    await readAddressHash(c, query.token)
    return optOutPage(c, false)
  })
  // Mail programs call it without a session, and from other sites (RFC 8058).
  .post('/mails/unsubscribe', sent.public({ query: OptOutQuery }), async (c, { query }) => {
    await optOut(c.var, await readAddressHash(c, query.token))
    return optOutPage(c, true)
  })

async function readAddressHash(c: Context<App>, token: string): Promise<string> {
  const hash = await verifyOptOut(tokenIssuer(c.var.settings), token)
  if (hash === null) throw invalidField('token', 'must be that of a link in a mail')
  return hash
}

const optOutPage = (c: Context<App>, isDone: boolean) =>
  page(
    c,
    { title: ({ unsubscribe }) => unsubscribe.title, account: null },
    <OptOut isDone={isDone} />,
  )

const OptOut = ({ isDone }: { isDone: boolean }) => {
  const { title, done, others, submit } = usePage().texts.unsubscribe
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      {isDone ? (
        <p role="status">{done}</p>
      ) : (
        <form method="post" class="stack">
          <p>{others}</p>
          <Submit kind="primary">{submit}</Submit>
        </form>
      )}
    </section>
  )
}
