/** Refusals as people meet them: the API's JSON becomes a page, and "who are you?" the sign-in. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'
import { page } from './page.tsx'

/** For requests that a browser makes for its user; programs, and everything under /api, get JSON. */
export const refusalPages = createMiddleware<App>(async (c, next) => {
  await next()
  if (c.res.status < 400 || !isForPerson(c) || !isJson(c.res)) return
  if (c.res.status === 401) {
    c.res = c.redirect(signInPath(c), 303)
    return
  }
  const { error } = await c.res.json<{ error: string }>()
  c.res = await page(c, {
    title: titles[c.res.status] ?? 'That did not work',
    account: null,
    status: c.res.status as 400,
    children: <Refusal status={c.res.status} message={error} />,
  })
})

const isForPerson = (c: Context<App>) =>
  !c.req.path.startsWith('/api/') && !!c.req.header('accept')?.includes('text/html')

const isJson = (response: Response) =>
  !!response.headers.get('content-type')?.startsWith('application/json')

/** After a GET people come back to where they were going; a form must be filled in again. */
function signInPath(c: Context<App>): string {
  const { pathname, search } = new URL(c.req.url)
  const back = c.req.method === 'GET' ? pathname + search : '/settings/api-access'
  return `/sign-in?redirect=${encodeURIComponent(back)}`
}

const titles: Record<number, string> = {
  403: 'Not allowed',
  404: 'Page not found',
  409: 'That is taken',
  410: 'This link no longer works',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Please try again',
}

const Refusal = ({ status, message }: { status: number; message: string }) => (
  <section class="card narrow">
    <p class="eyebrow">Error {status}</p>
    <h1>{titles[status] ?? 'That did not work'}</h1>
    <p>{sentence(message)}</p>
    <p class="actions">
      <a class="button primary" href={status === 410 ? '/sign-in' : '/settings/api-access'}>
        {status === 410 ? 'Sign in' : 'Go to settings'}
      </a>
    </p>
  </section>
)

/** The API's messages are written to follow a field's name; on a page they stand alone. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
