/** Turns JSON errors into pages for people, and a missing sign-in into a redirect to one. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { App } from '../http/context.ts'
import type { ErrorCode } from '../http/errors.ts'
import { page } from './page.tsx'

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
    c.res = c.redirect(`/sign-in/again?redirect=${encodeURIComponent(pageOf(c))}`, 303)
    return
  }
  const status = c.res.status as ContentfulStatusCode
  c.res = await page(c, {
    title: titleOf(status),
    account: null,
    status,
    children: <ErrorPage status={status} message={error} />,
  })
})

const isForPerson = (c: Context<App>) =>
  !c.req.path.startsWith('/api/') && !!c.req.header('accept')?.includes('text/html')

const isJson = (response: Response) =>
  !!response.headers.get('content-type')?.startsWith('application/json')

const signInPath = (c: Context<App>) => `/sign-in?redirect=${encodeURIComponent(pageOf(c))}`

/**
 * The page to return to after the sign-in: a GET can be repeated; otherwise the page that has the
 * form, which must be filled in again.
 */
function pageOf(c: Context<App>): string {
  const { origin, pathname, search } = new URL(c.req.url)
  if (c.req.method === 'GET') return pathname + search
  const form = URL.parse(c.req.header('referer') ?? '')
  if (form?.origin !== origin) return '/settings/account'
  form.searchParams.delete('notice')
  return form.pathname + form.search
}

const titles: Record<number, string> = {
  403: 'Not allowed',
  404: 'Page not found',
  409: 'This is not possible',
  410: 'This link no longer works',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Please try again',
}

const titleOf = (status: number) => titles[status] ?? 'That did not work'

const ErrorPage = ({ status, message }: { status: number; message: string }) => (
  <section class="card narrow">
    <p class="eyebrow">Error {status}</p>
    <h1>{titleOf(status)}</h1>
    <p>{sentence(message)}</p>
    <p class="actions">
      <a class="button primary" href={status === 410 ? '/sign-in' : '/settings/api-access'}>
        {status === 410 ? 'Sign in' : 'Go to settings'}
      </a>
    </p>
  </section>
)

/** Error messages of the API have no capital letter and no full stop. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
