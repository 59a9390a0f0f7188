/** Pages in place of mailed links that do not work. Programs get the error as JSON. */
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { App } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import type { Texts } from '../../texts/en.ts'
import { LinkButton } from '../components/forms.tsx'
import { usePage } from '../components/request.ts'
import { displayName } from '../components/text.ts'
import { findAccountSafely, isForPerson } from '../error-pages.tsx'
import { page } from '../page.tsx'
import { readLinkAddress } from './link-address.ts'
import { HOME } from './redirect.ts'
import { EmailForm } from './views.tsx'

/** `cut`: the link lacks a part. `ended`: it was used, has expired or was replaced. */
type Cause = 'cut' | 'ended'

/** Applies to requests with the secret of a link, whose purpose is as in `mailLink`. */
export const explainBrokenLink = (purpose: Purpose) =>
  createMiddleware<App>(async (c, next) => {
    await next()
    const cause = linkProblem(c.error)
    if (!cause || !isForPerson(c)) return
    const title = ({ brokenLink }: Texts) => brokenLink[cause]
    const account = await findAccountSafely(c)
    const content = { title, account, status: c.res.status as ContentfulStatusCode }
    c.res =
      purpose === 'link'
        ? await page(c, { ...content, section: 'account' }, <BrokenConfirmation cause={cause} />)
        : await page(c, content, <BrokenSignIn cause={cause} email={readLinkAddress(c)} />)
  })

function linkProblem(error: unknown): Cause | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'link_expired') return 'ended'
  return error.code === 'invalid_input' ? 'cut' : null
}

type Purpose = 'sign-in' | 'link'

const Reason = ({ cause, purpose }: { cause: Cause; purpose: Purpose }) => {
  const { brokenLink } = usePage().texts
  const { whyCut, oneOf, used, usedToLink, tooOld, newer, otherAccount } = brokenLink
  if (cause === 'cut') return <p>{whyCut}</p>
  const reasons = purpose === 'sign-in' ? [used, tooOld, newer] : [usedToLink, tooOld, otherAccount]
  return (
    <>
      <p>{oneOf}</p>
      <ul class="list">
        {reasons.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </>
  )
}

const BrokenSignIn = ({ cause, email }: { cause: Cause; email: string | undefined }) => {
  const { account, texts } = usePage()
  const { brokenLink } = texts
  return (
    <section class="card narrow">
      <h1>{brokenLink[cause]}</h1>
      <Reason cause={cause} purpose="sign-in" />
      {account && (
        <p class="notice info">
          <span>{brokenLink.signedInAs(displayName(account))}</span>
          <a href={HOME}>{brokenLink.toOrders}</a>
        </p>
      )}
      <EmailForm email={email} submit={brokenLink.sendNew} />
    </section>
  )
}

const BrokenConfirmation = ({ cause }: { cause: Cause }) => {
  const { brokenLink } = usePage().texts
  return (
    <>
      <h2>{brokenLink[cause]}</h2>
      <Reason cause={cause} purpose="link" />
      <p class="actions">
        <LinkButton href="/settings/account" kind="primary">
          {brokenLink.toAccount}
        </LinkButton>
      </p>
      <p class="hint">{brokenLink.hint}</p>
    </>
  )
}
