/** Calls operations of the document by their ids, and keeps the calls that it will show. */
import type { Example } from '../examples.ts'
import { PUBLIC_URL, type World } from './world.ts'

/** The paths of the document. */
export type Paths = Record<string, object>

export type Call = {
  token?: string
  /** The value of the header. */
  cookie?: string
  /** Values of the path, the query and the headers, by name. */
  parameters?: Record<string, unknown>
  /** The JSON body. */
  body?: unknown
  /** A body that is not shown, such as a picture. */
  upload?: string | ArrayBuffer
  /** Headers that are not shown. */
  headers?: Record<string, string>
}

type Answer = { status: number; body: unknown; cookies: string[] }

const MINUTE = 60_000

export function createCaller(paths: Paths, world: World, start: Date) {
  const examples: Example[] = []
  let now = start.getTime()

  async function send(operationId: string, call: Call = {}): Promise<Answer> {
    const { method, url } = targetOf(paths, operationId, call.parameters)
    const { token, cookie, body, upload, headers } = call
    const content = body === undefined ? upload : JSON.stringify(body)
    const response = await world.fetch(url, {
      method,
      headers: {
        'x-story-time': new Date(now).toISOString(),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headerValues(call.parameters),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      body: isJson ? await response.json() : void (await response.arrayBuffer()),
      cookies: response.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''),
    }
  }

  return {
    examples,
    send,
    now: () => new Date(now),
    /** Lets minutes pass. */
    wait: (minutes: number) => {
      now += minutes * MINUTE
    },
    /** Sends a call a minute after the last one, and keeps it. Throws unless it has the status. */
    show: async (
      status: number,
      operationId: string,
      name: string,
      summary: string,
      call: Call = {},
    ) => {
      now += MINUTE
      const answer = await send(operationId, call)
      if (answer.status !== status)
        throw new Error(`${summary}: ${answer.status} ${JSON.stringify(answer.body)}`)
      const { parameters, body } = call
      examples.push({
        operationId,
        name,
        summary,
        ...(parameters && { parameters }),
        ...(body !== undefined && { body }),
        status,
        ...(answer.body !== undefined && { answer: answer.body }),
      })
      return answer
    },
  }
}

/** Names of headers have a hyphen. */
const isHeader = (name: string) => name.includes('-')

const headerValues = (parameters: Call['parameters'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      isHeader(name) ? [[name, String(value)]] : [],
    ),
  )

function targetOf(paths: Paths, operationId: string, parameters: Call['parameters'] = {}) {
  for (const [template, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (Object(operation).operationId !== operationId) continue
      const path = template.replace(/\{(\w+)\}/g, (_, name) => String(parameters[name]))
      const query = Object.entries(parameters).filter(
        ([name]) => !isHeader(name) && !template.includes(`{${name}}`),
      )
      const url = new URL(path, PUBLIC_URL)
      for (const [name, value] of query) url.searchParams.set(name, String(value))
      return { method: method.toUpperCase(), url: url.href }
    }
  throw new Error(`There is no operation ${operationId}.`)
}
