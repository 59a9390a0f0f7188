/** Calls every operation of the API, with the client and the real Worker. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  type Answer,
  createClient,
  type MarketplaceClient,
  type OperationId,
} from '../../client/src/index.ts'
import { LOCAL_CHAIN_ID } from '../../scripts/local/chain/collectibles.ts'
import { document } from '../support/document.ts'
import { aPerson, instance, query } from '../support/instance/instance.ts'
import { PATIENCE } from '../support/patience.ts'
import { aBrowser, fetchDocumented } from './documented.ts'

const picture = new Uint8Array(await readFile('test/avatars/fixtures/phone.jpg'))
const { url, token, receivers } = instance
const pictureHost = `127.0.0.1:${receivers.pictures}`
const client = createClient({ url, token, fetch: fetchDocumented })
/** Also the receiver of webhooks, which answers challenges. */
const pictures = createServer(async (request, response) => {
  if (request.method === 'GET') return void response.end(picture)
  const { data } = JSON.parse(await text(request))
  response.end(data.challenge)
})

beforeAll(async () => {
  await once(pictures.listen(receivers.pictures, '127.0.0.1'), 'listening')
})

afterAll(() => pictures.close())

/** Has no wallet, so that no delivery starts. */
const buyerUserId = await aPerson()
const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }
const newOrder = { nftId: 3, listingId: 3, quantity: 1, buyerUserId, buyerBillingData }

const newReservation = { listingId: 3, quantity: 1, ttl: 60 }

/** Places an order and returns its ids. */
async function anOrder() {
  const { orders } = await client.placeOrders({ body: [newOrder] })
  const [order] = orders
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  return { orderId: order.id, itemId: item.id }
}

/** Places an order whose delivery has failed. */
async function aFailedOrder() {
  const order = await anOrder()
  const sql = "UPDATE deliveries SET state = 'failed', awaits = NULL WHERE id = ?"
  await query(sql, `${order.itemId}`)
  return order
}

async function aDeliveryAddress(): Promise<number> {
  const answer = await client.createAddress({ body: { userId: 3, name: 'Bo' }, type: 'delivery' })
  if (!('newDeliveryAddress' in answer)) throw new Error('no delivery address was created')
  return answer.newDeliveryAddress.id
}

async function aBillingAddress(): Promise<number> {
  const answer = await client.createBillingAddress({ body: { userId: 3, city: 'Oslo' } })
  return answer.newBillingAddress.id
}

const newWebhook = { url: `http://${pictureHost}/`, events: ['alarm.raised' as const] }

async function createWebhook() {
  const { webhook } = await client.createWebhook({ body: newWebhook })
  const parameter = { webhook_id: webhook.id }
  const read = async () => (await client.getWebhook(parameter)).webhook
  await vi.waitUntil(async () => (await read()).verifiedAt !== null, PATIENCE)
  return parameter
}

let webhook: ReturnType<typeof createWebhook> | undefined

/** Returns the parameter of a webhook that several tests use. A person may have only ten. */
const aWebhook = () => {
  webhook ??= createWebhook()
  return webhook
}

async function aWebhookMessage() {
  const endpoint = await aWebhook()
  const { message } = await client.testWebhook(endpoint)
  return { ...endpoint, message_id: message.id }
}

/** Returns a client with the cookies of a browser. */
const aVisitor = () => createClient({ url: url, fetch: aBrowser() })
const aWallet = () => privateKeyToAccount(generatePrivateKey())

/** Returns a message that the wallet has signed, as the body of a request. */
async function signedBy(
  wallet: PrivateKeyAccount,
  visitor: MarketplaceClient,
  purpose: 'sign-in' | 'link',
) {
  const body = { address: wallet.address, chainId: LOCAL_CHAIN_ID, purpose }
  const { message } = await visitor.requestWalletMessage({ body })
  return { body: { message, signature: await wallet.signMessage({ message }) } }
}

/** The arguments of a call that needs nothing but the parameters of its path, by the last of them. */
const argumentsOf: Record<string, () => object | Promise<object>> = {
  none: () => ({}),
  user_id: () => ({ user_id: 3 }),
  order_ids: async () => ({ order_ids: [(await anOrder()).orderId] }),
  order_id: async () => ({ order_id: (await anOrder()).orderId }),
  webhook_id: aWebhook,
  message_id: aWebhookMessage,
}

/** The calls that need more. */
const calls: { [Id in OperationId]?: () => Promise<Answer<Id>> } = {
  placeOrders: () => client.placeOrders({ body: [newOrder, newOrder] }),
  putOrder: () => client.putOrder({ providerId: crypto.randomUUID(), body: newOrder }),
  checkOrders: () => client.checkOrders({ body: [newOrder] }),
  reserve: () => client.reserve({ body: [newReservation] }),
  releaseReservation: async () => {
    const [{ id: reservation_id = '' } = {}] = (await client.reserve({ body: [newReservation] }))
      .reservations
    return client.releaseReservation({ reservation_id })
  },
  listOrders: () => client.listOrders({ buyerUserId }),
  createAddress: () => client.createAddress({ body: { userId: 3, name: 'Bo' } }),
  updateDeliveryAddress: async () =>
    client.updateDeliveryAddress({ id: await aDeliveryAddress(), body: { name: null } }),
  deleteDeliveryAddress: async () => client.deleteDeliveryAddress({ id: await aDeliveryAddress() }),
  createBillingAddress: () => client.createBillingAddress({ body: { userId: 3, city: 'Oslo' } }),
  updateBillingAddress: async () =>
    client.updateBillingAddress({ id: await aBillingAddress(), body: { city: 'Bergen' } }),
  deleteBillingAddress: async () => client.deleteBillingAddress({ id: await aBillingAddress() }),
  listCreators: () => client.listCreators({ limit: 2 }),
  listListings: () => client.listListings({ sellerId: 2, active: 'true' }),
  getListings: () => client.getListings({ ids: [2, 'externalId:listing-3'] }),
  listNfts: () => client.listNfts({ q: 'a' }),
  getNfts: () => client.getNfts({ ids: [2] }),
  getArt: () => client.getArt({ id: 1, size: 'card' }),
  replaceAvatar: () =>
    client.replaceAvatar({ user_id: 3, body: { avatarUrl: `http://${pictureHost}/p.jpg` } }),
  uploadAvatarFile: () =>
    client.uploadAvatarFile({ user_id: 3, body: { avatar: new Blob([picture]) } }),
  uploadAvatarBytes: () => client.uploadAvatarBytes({ user_id: 'me', body: picture }),
  getPicture: async () => {
    const { avatarUrl } = await client.getAvatar({ user_id: 4 })
    return client.getPicture({ user_id: '4', picture: avatarUrl.replace(/.*\//, '') })
  },
  importCatalogue: () =>
    client.importCatalogue({
      body: new Blob(['{"type":"user","id":"mona","email":"mona@example.com"}']),
    }),
  findRecordNumbers: () =>
    client.findRecordNumbers({ body: { records: [{ type: 'nft', id: 'unknown' }] } }),
  createWebhook: () => client.createWebhook({ body: newWebhook }),
  updateWebhook: async () =>
    client.updateWebhook({ ...(await aWebhook()), body: { enabled: true } }),
  deleteWebhook: async () => client.deleteWebhook(await createWebhook()),
  replayWebhook: async () => {
    const body = { since: '2026-01-01T00:00:00.000Z' }
    return client.replayWebhook({ ...(await aWebhook()), body })
  },
  listEvents: async () => {
    await anOrder()
    return client.listEvents({ limit: 10 })
  },
  retryTransfers: () => client.retryTransfers({ status: 'queued', code: 'no_relayer' }),
  cancelTransfers: () => client.cancelTransfers({ status: 'in_flight', code: 'no_relayer' }),
  retryTransfer: async () => client.retryTransfer({ id: (await aFailedOrder()).itemId }),
  cancelTransfer: async () => client.cancelTransfer({ id: (await anOrder()).itemId }),
  writeOffTransfer: async () => {
    const { itemId: id } = await aFailedOrder()
    const usedUp = "reasonCode = 'token_moved_nothing'"
    await query(`UPDATE deliveries SET ${usedUp} WHERE id = ?`, `${id}`)
    return client.writeOffTransfer({ id, body: { returnPieces: true } })
  },
  acknowledgeAlarm: async () => {
    const key = 'contract_changed:31337'
    await query(
      `INSERT INTO findings (chainId, key, detail, nodes, seenAt)
       VALUES (31337, ?, 'The owner changed.', '[0]', '2026-01-01T00:00:00.000Z')`,
      key,
    )
    const [{ id: version } = { id: 0 }] = await query<{ id: number }>(
      'SELECT max(id) AS id FROM findings',
    )
    return client.acknowledgeAlarm({ key, body: { version } })
  },
  getPersonalData: () => client.getPersonalData({ id: 3 }),
  forgetPerson: async () => {
    const visitor = aVisitor()
    const { userId } = await visitor.signInWithWallet(await signedBy(aWallet(), visitor, 'sign-in'))
    return client.forgetPerson({ id: userId })
  },
  requestWalletMessage: () => {
    const body = { address: aWallet().address, chainId: LOCAL_CHAIN_ID, purpose: 'link' as const }
    return client.requestWalletMessage({ body })
  },
  signInWithWallet: async () => {
    const visitor = aVisitor()
    return visitor.signInWithWallet(await signedBy(aWallet(), visitor, 'sign-in'))
  },
  linkWallet: async () => {
    const visitor = aVisitor()
    const { userId } = await visitor.signInWithWallet(await signedBy(aWallet(), visitor, 'sign-in'))
    await query("UPDATE users SET ethereumPublicAddr = '' WHERE id = ?", `${userId}`)
    return visitor.linkWallet(await signedBy(aWallet(), visitor, 'link'))
  },
}

const { waitForDelivery, pages, items, ...methods } = client
/** The operations of the document, with the last parameters of their paths. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.values(item).map(({ operationId }): [id: string, last: string] => [
    operationId,
    /\{(\w+)\}[^{]*$/.exec(path)?.[1] ?? 'none',
  ]),
)

it('has a method for each operation of the document, and no others', () => {
  expect(Object.keys(methods).sort()).toEqual(operations.map(([id]) => id).sort())
})

it.each(operations)('%s gets an answer as the document has it', async (id, last) => {
  const call = Reflect.get(calls, id) ?? Reflect.get(methods, id)
  const answer = await call(id in calls ? undefined : await argumentsOf[last]?.())
  if (id === 'releaseReservation') expect(answer).toBeUndefined()
  else expect(answer).toBeTruthy()
})

it('uploads files as a form and as bytes, and downloads the picture', async () => {
  const before = await client.getAvatar({ user_id: 2 })
  const body = { avatar: new Blob([picture]) }
  const { avatarUrl } = await client.uploadAvatarFile({ user_id: 2, body })
  expect(avatarUrl).not.toBe(before.avatarUrl)
  expect(await client.uploadAvatarBytes({ user_id: 2, body: picture })).toEqual({ avatarUrl })
  const name = avatarUrl.replace(/.*\//, '')
  const file = await client.getPicture({ user_id: '2', picture: name })
  expect(file.type).toBe('image/jpeg')
  expect([...new Uint8Array(await file.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8])
})
