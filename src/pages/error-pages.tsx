/** Turns JSON errors into pages for people, and a missing sign-in into a redirect to one. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Account, findAccount } from '../auth/session.ts'
import type { App } from '../http/context.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Texts } from '../texts/en.ts'
import { LinkButton } from './components/forms.tsx'
import { usePage } from './components/request.ts'
import { refusalText } from './components/text.ts'
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
  const withoutSlash = new URL(c.req.url)
  if (c.res.status === 404 && withoutSlash.pathname.endsWith('/')) {
    withoutSlash.pathname = withoutSlash.pathname.slice(0, -1)
    const path = localPath(withoutSlash)
    if (path) {
      c.res = c.redirect(path, 308)
      return
    }
  }
  const { error, code } = await c.res.json<{ error: string; code: ErrorCode }>()
  if (code === 'reauthentication_required') {
    c.res = c.redirect(`/sign-in/again?redirect=${encodeURIComponent(returnPath(c))}`, 303)
    return
  }
  // What is wrong with the address of a page is in its path or its query.
  const isWrongAddress = code === 'invalid_input' && c.req.method === 'GET'
  const status = isWrongAddress ? 404 : (c.res.status as ContentfulStatusCode)
  const reason = isWrongAddress
    ? { code: 'not_found' as const, message: 'there is nothing at this path' }
    : { code, message: error }
  const title = ({ errors }: Texts) => textOf(errors.titles, status)
  const details = { status, reason, form: formPath(c), requestId: c.var.requestId }
  const account = await findAccountSafely(c)
  c.res = await page(c, { title, account, status }, <ErrorPage {...details} />)
})

type ErrorProps = {
  status: number
  reason: { code: ErrorCode; message: string }
  form: string | null
  requestId: string
}

const ErrorPage = ({ status, reason, form, requestId }: ErrorProps) => {
  const { texts } = usePage()
  const { errors } = texts
  const why = refusalText(texts, reason)
  return (
    <section class="card narrow">
      <p class="eyebrow">{errors.label(status)}</p>
      <h1>{textOf(errors.titles, status)}</h1>
      {why && <p class="lead">{why}</p>}
      <p>{textOf(errors.advice, status)}</p>
      <p class="actions">
        <LinkButton href="/" kind="primary">
          {errors.start}
        </LinkButton>
        {form && <LinkButton href={form}>{errors.toForm}</LinkButton>}
      </p>
      {status >= 500 && (
        <p class="hint">
          {errors.request} <span class="code">{requestId}</span>
        </p>
      )}
    </section>
  )
}

type ByStatus = Record<number, string> & { other: string }

const textOf = (texts: ByStatus, status: number): string => texts[status] ?? texts.other

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
