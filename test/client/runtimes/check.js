/**
 * Uses the client in a runtime, and returns what came of it.
 *
 * @param {typeof import('../../../client/src/index.ts')} client
 */
export async function check(
  { createClient, ApiError, TimeoutError, verifyWebhook },
  { url, hangingUrl, message },
) {
  const client = createClient({ url })
  const impatient = createClient({ url: hangingUrl, attemptTimeout: 100, retry: { attempts: 1 } })
  const [event, rejected, late] = await Promise.all([
    verifyWebhook(message.body, message.headers, message.secret),
    client.listOrders().catch((error) => error),
    impatient.getStats().catch((error) => error),
  ])
  const titles = []
  // Three pages: other tests add NFTs meanwhile.
  for await (const { title } of client.items('listNfts', { limit: 1 }))
    if (titles.push(title) === 3) break
  return {
    pages: titles.length,
    event: event.type,
    rejected: rejected instanceof ApiError && rejected.code,
    late: late instanceof TimeoutError && late.name,
  }
}
