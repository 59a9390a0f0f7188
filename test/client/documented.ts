/** A client that checks responses, and one that has the cookies of a browser, too. */
import { assertDocumented } from '../support/document.ts'

/** Sends a request. Rejects if the response does not match the OpenAPI document. */
export async function fetchDocumented(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  await assertDocumented(new Request(url, init), response.clone())
  return response
}

/** Returns `fetchDocumented` with the cookies of a browser. */
export function aBrowser() {
  const cookies = new Map<string, string>()
  return async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...cookies].map((cookie) => cookie.join('=')).join('; '))
    const response = await fetchDocumented(url, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return response
  }
}
