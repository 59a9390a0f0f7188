/** Pages in place of mailed links that do not work. Programs get the error as JSON. */

import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { App } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { LinkButton } from '../components/button.tsx'
import { displayName } from '../components/names.ts'
import { usePage } from '../components/request.ts'
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
    c.res = await page(c, {
      title: titles[cause],
      section: purpose === 'link' ? 'account' : undefined,
      account: await findAccountSafely(c),
      status: c.res.status as ContentfulStatusCode,
      children:
        purpose === 'link' ? (
          <BrokenConfirmation cause={cause} />
        ) : (
          <BrokenSignIn cause={cause} email={readLinkAddress(c)} />
        ),
    })
  })

function linkProblem(error: unknown): Cause | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'link_expired') return 'ended'
  return error.code === 'invalid_input' ? 'cut' : null
}

const titles = { cut: 'This link is not complete', ended: 'This link no longer works' }

type Purpose = 'sign-in' | 'link'

const endings: Record<Purpose, string[]> = {
  'sign-in': [
    'It was used. Each link signs in once.',
    'It is older than 15 minutes.',
    'You asked for three newer links. Open the last one.',
  ],
  link: [
    'It was used. Then the e-mail address is linked.',
    'It is older than 15 minutes.',
    'You asked for it in another account.',
  ],
}

const Reason = ({ cause, purpose }: { cause: Cause; purpose: Purpose }) =>
  cause === 'cut' ? (
    <p>
      A part of it is missing. Mail programs sometimes break a long link into two lines: copy all of
      it from the mail, or ask for a new one.
    </p>
  ) : (
    <>
      <p>One of these is the reason:</p>
      <ul class="list">
        {endings[purpose].map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </>
  )

const BrokenSignIn = ({ cause, email }: { cause: Cause; email: string | undefined }) => {
  const { account } = usePage()
  return (
    <section class="card narrow">
      <h1>{titles[cause]}</h1>
      <Reason cause={cause} purpose="sign-in" />
      {account && (
        <p class="notice">
          <span>You are signed in as {displayName(account)}.</span>
          <a href={HOME}>Go to your orders</a>
        </p>
      )}
      <EmailForm email={email} submit="Send me a new link" />
    </section>
  )
}

const BrokenConfirmation = ({ cause }: { cause: Cause }) => (
  <>
    <h2>{titles[cause]}</h2>
    <Reason cause={cause} purpose="link" />
    <p class="actions">
      <LinkButton href="/settings/account" kind="primary">
        Go to Account
      </LinkButton>
    </p>
    <p class="hint">There you see whether the address is linked, and can ask for a new link.</p>
  </>
)
