/** Turns JSON errors into pages for people, and a missing sign-in into a redirect to one. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Account, findAccount } from '../auth/session.ts'
import type { App } from '../http/context.ts'
import type { ErrorCode } from '../http/errors.ts'
import { LinkButton } from './components/forms.tsx'
import { sentence } from './components/text.ts'
import { page } from './page.tsx'
import type { SignInNotice } from './sign-in/views.tsx'

/** Applies to requests of browsers outside `/api/`. All other clients get the JSON. */
export const errorPages = createMiddleware<App>(async (c, next) => {
  await next()
  if (c.res.status < 400 || !isForPerson(c) || !isJson(c.res)) return
  if (c.res.status === 401) {
    c.res = c.redirect(signInPath(c), 303)
    return
  }
  const { error, code } = await c.res.json<{ error: string; code: ErrorCode }>()
  if (code === 'reauthentication_required') {
    c.res = c.redirect(`/sign-in/again?redirect=${encodeURIComponent(returnPath(c))}`, 303)
    return
  }
  // What is wrong with the address of a page is in its path or its query.
  const isWrongAddress = code === 'invalid_input' && c.req.method === 'GET'
  const status = isWrongAddress ? 404 : (c.res.status as ContentfulStatusCode)
  const { title, advice } = explanations[status] ?? unexplained
  const form = formPath(c)
  const view = (
    <section class="card narrow">
      <p class="eyebrow">Error {status}</p>
      <h1>{title}</h1>
      <p class="lead">{sentence(isWrongAddress ? 'there is nothing at this path' : error)}</p>
      <p>{advice}</p>
      <p class="actions">
        <LinkButton href="/" kind="primary">
          Start page
        </LinkButton>
        {form && <LinkButton href={form}>Back to the form</LinkButton>}
      </p>
      {status >= 500 && (
        <p class="hint">
          Number of this request: <span class="code">{c.var.requestId}</span>
        </p>
      )}
    </section>
  )
  c.res = await page(c, { title, account: await findAccountSafely(c), status }, view)
})

/** Whether a browser asks for a page. All other clients get errors as JSON. */
export const isForPerson = (c: Context<App>): boolean =>
  !c.req.path.startsWith('/api/') && !!c.req.header('accept')?.includes('text/html')

/**
 * Returns the signed-in user for the header of the page, or null. Never throws: if the database has
 * failed, the page must not fail too.
 */
export async function findAccountSafely(c: Context<App>): Promise<Account | null> {
  // An error may come before these are set.
  const { db, caller = null }: Partial<App['Variables']> = c.var
  if (!db) return null
  return findAccount(db.$client.openPrimary(), caller).catch(() => null)
}

const isJson = (response: Response) =>
  !!response.headers.get('content-type')?.startsWith('application/json')

/** The sign-in page, which says why it is shown, and leads back. */
function signInPath(c: Context<App>): string {
  const notice: SignInNotice = c.req.method === 'GET' ? 'required' : 'not-saved'
  return `/sign-in?${new URLSearchParams({ redirect: returnPath(c), notice })}`
}

/**
 * The page to return to after the sign-in: a GET can be repeated; otherwise the page that has the
 * form, which must be filled in again.
 */
function returnPath(c: Context<App>): string {
  if (c.req.method === 'GET') return localPath(new URL(c.req.url)) ?? '/'
  const [, page, section] = c.req.path.split('/')
  return formPath(c) ?? (page === 'settings' ? `/settings/${section}` : '/')
}

/** The page of this site whose form was sent; null if the request sent no form. */
function formPath(c: Context<App>): string | null {
  const { origin } = new URL(c.req.url)
  const form = URL.parse(c.req.header('referer') ?? '')
  if (c.req.method === 'GET' || form?.origin !== origin) return null
  form.searchParams.delete('notice')
  return localPath(form)
}

/**
 * Returns the path and the query of a URL of this site, as a link back to it. Null for a path that
 * browsers read as another host, as in `//evil.example`.
 */
const localPath = ({ pathname, search }: URL): string | null =>
  /^\/(?![/\\])/.test(pathname) ? pathname + search : null

/** What a person can do after each error. */
const explanations: Record<number, typeof unexplained> = {
  403: {
    title: 'Not allowed',
    advice: 'If you have another account that may do this, sign out and sign in with it.',
  },
  404: {
    title: 'Page not found',
    advice: 'Check the link for a typing error. What was here may also have been removed.',
  },
  405: {
    title: 'This page cannot be opened',
    advice: 'This link submits a form. Open the form instead.',
  },
  409: {
    title: 'This is not possible',
    advice: 'Nothing was changed. Go back and look at the present state.',
  },
  413: { title: 'This is too large', advice: 'Go back and send less.' },
  415: { title: 'This file cannot be used', advice: 'Go back and choose another file.' },
  429: {
    title: 'Too many attempts',
    advice: 'This last attempt has changed nothing. Wait, then try again.',
  },
  500: {
    title: 'Something went wrong',
    advice: 'Try again in a minute. If it happens again, tell us the number below.',
  },
  503: {
    title: 'Please try again',
    advice: 'Wait a minute, then try again. If it happens again, tell us the number below.',
  },
}

const unexplained = {
  title: 'That did not work',
  advice: 'Nothing was changed. Go back, check what you entered, and try again.',
}
