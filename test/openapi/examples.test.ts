/** The examples of the OpenAPI document are the answers to the sample requests. */
import { eq } from 'drizzle-orm'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, inject, it, vi } from 'vitest'
import { describedEndpoints } from '../../scripts/build/openapi/endpoints.ts'
import type { Example } from '../../scripts/build/openapi/examples.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { BASE_URL, call } from '../support/api.ts'
import { sampleWorld } from '../support/endpoints.ts'
import { aTransaction, db } from '../support/makers.ts'
import { aVisitor, requestMessage, signInByEmail } from '../support/visitor.ts'
import { stable } from './stable.ts'

// D1 has a clock of its own, so only a later time is the same in every run and ends no session.
vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2126-03-02T09:00:00.000Z') })
afterAll(() => void vi.useRealTimers())

/** Microseconds from 2026 to 2126. */
const CENTURY = 1000 * (Date.parse('2126-03-02') - Date.parse('2026-03-02'))

const { tokenOf, sampleRequest } = await sampleWorld()

/** Sends the sample request of an endpoint, as the owner of the webhooks or as an administrator. */
async function ask(endpoint: string) {
  const { method, path: sample, ...content } = await sampleRequest(endpoint)
  const path = endpoint === 'GET /api/events' ? `${sample.split('?')[0]}?limit=2` : sample
  const isOfOwner =
    path.startsWith('/api/webhooks') || /^DELETE .api.(nfts|listings)/.test(endpoint)
  const token = isOfOwner ? tokenOf.owner : tokenOf.master
  const response = await call(method, path, { ...content, token })
  return { path, body: content.json, response }
}

/** Signs a message, as `/sign-in` and Settings → Account do. */
async function sign(path: string, purpose: 'sign-in' | 'link', visitor = aVisitor()) {
  const key = purpose === 'link' ? '1' : '2'
  const wallet = privateKeyToAccount(`0x${key.repeat(64)}`)
  const message = await requestMessage(visitor, wallet, purpose)
  const body = { message, signature: await wallet.signMessage({ message }) }
  return { path, body, response: await visitor.postJson(path, body) }
}

/** Requests whose samples are rejected, because they need a signature or a token on a chain. */
const others: Record<string, () => ReturnType<typeof ask>> = {
  // The answer to a holder is that to a buyer.
  getContentOfHolder: async () => ({
    ...(await ask('GET /api/externalOrders/:order_id/content')),
    path: '/api/public/nfts/2/content',
  }),
  linkWallet: async () => {
    const visitor = aVisitor()
    await signInByEmail(visitor, 'bo@example.com')
    return sign('/settings/account/wallet', 'link', visitor)
  },
  signInWithWallet: () => sign('/sign-in/wallet', 'sign-in'),
}

async function record(): Promise<Example[]> {
  const examples: Example[] = []
  for (const { method, path: pattern, id: operationId, summary } of describedEndpoints) {
    const { path, body, response } = await (others[operationId]?.() ?? ask(`${method} ${pattern}`))
    if (!response.ok) throw new Error(`${operationId}: ${await response.text()}`)
    examples.push({
      operationId,
      summary,
      parameters: parametersIn(path, pattern),
      ...(body !== undefined && { body }),
      ...(await answerIn(response)),
    })
  }
  return [...examples, ...(await recordOrders())]
}

/** Orders whose deliveries have ended. The one of the sample waits for a wallet. */
async function recordOrders(): Promise<Example[]> {
  const { id: transactionId } = await aTransaction()
  const { id: cancellation } = await aTransaction()
  const states = {
    'A delivered order': { state: 'transferred', transactionId },
    'An order that could not be delivered': { state: 'failed', ...explain('recipient_rejects') },
    'A cancelled order': {
      state: 'cancelled',
      transactionId: cancellation,
      ...explain('cancelled'),
    },
  } as const
  const examples: Example[] = []
  for (const [summary, values] of Object.entries(states)) {
    const { path } = await sampleRequest('GET /api/externalOrders/:order_ids')
    const [order_ids = ''] = path.split('/').slice(-1)
    const [item] = await db
      .select({ id: orderItems.id })
      .from(orderItems)
      .where(eq(orderItems.orderId, Number(order_ids)))
    await db
      .update(deliveries)
      .set({ ...values, awaits: null })
      .where(eq(deliveries.id, item?.id ?? 0))
    const response = await call('GET', path, { token: tokenOf.master })
    const parameters = { order_ids }
    examples.push({ operationId: 'getOrders', summary, parameters, ...(await answerIn(response)) })
  }
  const parameters = { fields: 'summary', limit: '2' }
  const path = `/api/externalOrders?${new URLSearchParams(parameters)}`
  const answer = await answerIn(await call('GET', path, { token: tokenOf.master }))
  const summary = 'List summaries of orders'
  return [...examples, { operationId: 'listOrders', summary, parameters, ...answer }]
}

/** Returns the values of `:name` in the path, and those of the query. */
function parametersIn(path: string, pattern: string): Record<string, string> {
  const { pathname, searchParams } = new URL(path, BASE_URL)
  const values = pathname.split('/')
  const names = pattern.split('/').map((part, i) => [part, values[i] ?? ''] as const)
  return {
    ...Object.fromEntries(names.flatMap(([n, v]) => (n.startsWith(':') ? [[n.slice(1), v]] : []))),
    ...Object.fromEntries(searchParams),
  }
}

async function answerIn(response: Response): Promise<Pick<Example, 'answer'>> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return isJson ? { answer: await response.json() } : {}
}

it('has the answers to the sample requests as examples', async () => {
  const lines = (await record()).map((example) => JSON.stringify(example))
  const text = stable(`[\n${lines.join(',\n')}\n]\n`)
    .replaceAll(`http://${inject('remoteHost')}/empty`, 'https://shop.example.com/webhooks')
    .replaceAll(`http://${inject('remoteHost')}`, 'https://pictures.example.com')
    // Tokens get different names.
    .replaceAll(/\btest \d+"/g, 'shop"')
    .replaceAll('2126-', '2026-')
    .replaceAll('2127-', '2027-')
    // Ids of events are times, too.
    .replace(/(?<=\bevt_)\d{16}\b/g, (id) => `${Number(id) - CENTURY}`)
    .replaceAll(/(?<=\?token=)[\w.-]+/g, 'header.payload.signature')
    .replaceAll('marketplace.test', 'marketplace.example.com')
  expect(text).not.toContain('eyJ')
  await expect(text).toMatchFileSnapshot('../../scripts/build/openapi/examples.json')
})
