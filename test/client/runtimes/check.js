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
  const [{ stats }, event, rejected, late] = await Promise.all([
    client.getStats(),
    verifyWebhook(message.body, message.headers, message.secret),
    client.listOrders().catch((error) => error),
    impatient.getStats().catch((error) => error),
  ])
  const titles = []
  for await (const { title } of client.items('listNfts', { limit: 1 })) titles.push(title)
  return {
    hasAll: titles.length >= stats.nfts.total - 1 && titles.length > 1,
    event: event.type,
    rejected: rejected instanceof ApiError && rejected.code,
    late: late instanceof TimeoutError && late.name,
  }
}
