/** The dead letters of an instance, by its own API. */
import { Failure } from '../shell/command.ts'

type Transfer = { id: number; orderId: number; reason: string | null }
type Page = { transfers: Transfer[]; nextCursor: string | null }

/** Asks the instance to look again at each transfer on which its queue gave up. How many they are. */
export async function replayDeadLetters(
  url: string,
  token: string,
  tell: (line: string) => void,
): Promise<number> {
  let replayed = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor && `&cursor=${cursor}`
    const page: Page = await call(
      url,
      token,
      'GET',
      `/api/admin/transfers?status=dead_lettered${query}`,
    )
    for (const { id, orderId, reason } of page.transfers) {
      await call(url, token, 'POST', `/api/admin/transfers/${id}/retry`)
      tell(`transfer ${id} of order ${orderId}: ${reason}`)
      replayed++
    }
    cursor = page.nextCursor
  }
  return replayed
}

async function call<T>(url: string, token: string, method: string, path: string): Promise<T> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => {
    throw new Failure(`${url} does not answer.`)
  })
  if (!response.ok)
    throw new Failure(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<T>
}
