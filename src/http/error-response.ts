/** The responses of errors: those of the API, and one for whatever else is thrown. */
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { connect, isTransient } from '../db/client.ts'
import { InvalidConfiguration } from '../env.ts'
import { requestLimits } from '../limits.ts'
import { log, stackFrames } from '../log.ts'
import type { App } from './context.ts'
import { ApiError, errorStatus, type Issue, tryLater } from './errors.ts'
import { countFailure } from './failures.ts'
import { callerRequestId } from './request-log.ts'

export const notFound: NotFoundHandler<App> = (c) => {
  const hint = /.\/$/.test(c.req.path) ? ': try it without the slash at its end' : ''
  return errorResponse(c, new ApiError('not_found', `there is nothing at this path${hint}`))
}

/** Answers an unexpected error with 500. Its details are logged and never sent. */
export const onError: ErrorHandler<App> = (error, c) => {
  if (error instanceof ApiError) return errorResponse(c, error)
  if (error instanceof HTTPException && error.status < 500)
    return errorResponse(c, new ApiError('invalid_input', malformed(error.message)))
  const ids = { requestId: c.var.requestId, callerRequestId: callerRequestId(c) }
  const remedy = setupRemedy(error)
  if (remedy) {
    log.error('not_ready', { ...ids, remedy })
    const message = 'the service is not set up completely; its log says what to do'
    return errorResponse(c, new ApiError('not_ready', message, { 'Retry-After': '60' }))
  }
  c.executionCtx.waitUntil(countFailure(connect(c.env.DB), 'requests', new Date()))
  if (isTransient(error)) {
    log.error('database_unavailable', { ...ids, error })
    return errorResponse(c, tryLater('the database does not answer'))
  }
  log.error('request_failed', { ...ids, error, stack: stackFrames(error) })
  return errorResponse(c, new ApiError('internal_error', 'something went wrong on our side'))
}

/** Returns what an operator has to do before the instance can serve; undefined for any other error. */
function setupRemedy(error: unknown): string | undefined {
  if (error instanceof InvalidConfiguration)
    return `${error.message}. Set it in wrangler.toml or as a secret; \`npm install\` adds the secrets that .dev.vars lacks.`
  if (/no such (table|column)/.test(String(error)))
    return 'The database lacks migrations. Run `npx wrangler d1 migrations apply DB --local`, or `npm run migrate -- --env <environment>`.'
  return error instanceof Error && error.cause ? setupRemedy(error.cause) : undefined
}

/** Hono throws when a validator cannot parse the body. */
const malformed = (message: string): string =>
  `the body is not ${message.includes('JSON') ? 'valid JSON' : 'a valid form'}`

/** A text may quote what the request has sent. Half a surrogate pair becomes U+FFFD. */
const shorten = (text: string): string =>
  (text.length > requestLimits.issueText.max
    ? `${text.slice(0, requestLimits.issueText.max - 1)}…`
    : text
  ).toWellFormed()

/** Returns the issues that a response shows: an answer must not be larger than what caused it. */
function shownIssues(issues: readonly Issue[]): Issue[] {
  let size = 0
  return issues
    .slice(0, requestLimits.issues.max)
    .map((issue) => ({ ...issue, path: shorten(issue.path), message: shorten(issue.message) }))
    .filter((issue) => {
      size += new TextEncoder().encode(JSON.stringify(issue)).length
      return size <= requestLimits.issuesSize.max
    })
}

export function errorResponse(c: Context<App>, error: ApiError): Response {
  const { code, message, headers, issues } = error
  // Not that of the request, which a sender chooses. The settings may be what is wrong.
  const { PUBLIC_URL = '' } = c.env
  const url = URL.canParse(PUBLIC_URL) ? PUBLIC_URL : c.req.url
  const body = {
    ...c.get('errorFields'),
    error: shorten(message),
    code,
    issues: shownIssues(issues),
    requestId: c.get('requestId'),
    documentationUrl: new URL(`/docs/errors#${code}`, url).href,
  }
  return c.json(body, errorStatus[code], headers)
}
