import { expect, it } from 'vitest'
import { CONTRACT } from '../catalogue/records.ts'
import { aShop, copies, placed } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken } from '../support/makers.ts'
import { aPerson } from './person.ts'

type Data = Record<string, unknown> & { orders: { id: number }[]; nextCursor: string | null }

const read = (token: string, { id }: { id: number }, query = '') =>
  answerOf<Data>(call('GET', `/api/admin/users/${id}/data${query}`, { token }))

it('has everything that is stored of a person, and no secrets', async () => {
  const { master, user, texts, bought, sold, today } = await aPerson()
  const data = await read(master, user)
  const { name, username, email, ip, street, webhook, mobilePhone } = texts
  const own = { id: user.id, name, username, email, ipAddress: ip }
  expect(data).toMatchObject({
    status: 200,
    user: { ...own, walletChainId: 0, walletProvedByFactory: false, wantsNoMails: false },
    mailLinks: [{ email, client: ip }],
    webhooks: [{ url: webhook, events: ['order.created'] }],
    proposals: [
      { state: 'rejected', fields: { metadata: { name: texts.proposal } }, reason: 'Blurred.' },
    ],
    mintPermissions: [{ network: 'localhost', contract: CONTRACT }],
    reports: [{ nftId: bought[0]?.orderItems[0]?.nftId, text: texts.report }],
    actions: [],
    nextCursor: null,
  })
  expect(data.user).toMatchObject({ avatarUrl: expect.stringContaining(`/avatars/${user.id}/`) })
  const kept = expect.arrayContaining([
    expect.objectContaining({ kind: 'delivery', mobilePhone }),
    expect.objectContaining({ street, deletedAt: expect.any(String) }),
    expect.objectContaining({ street, origin: 'order' }),
  ])
  expect(data.addresses).toEqual(kept)
  expect(data.tokens).toMatchObject([{ kind: 'api', role: 'user' }])
  const ids = [...bought, ...sold, ...(today ? [today] : [])].map(({ id }) => id)
  expect(data.orders.map(({ id }) => id)).toEqual(ids.toSorted((a, b) => b - a))
  const text = JSON.stringify(data)
  for (const secret of ['secretHash', 'secretId', 'secret of', 'keyId', 'ey'])
    expect(text).not.toContain(`"${secret}`)
})

it('shows orders as the person sees them: nothing private of those who bought from them', async () => {
  const { master, user, other, sold } = await aPerson()
  const { orders } = await read(master, user)
  const order = orders.find(({ id }) => id === sold[0]?.id)
  expect(order).toMatchObject({
    payprovWebhookToken: '00000000-0000-0000-0000-000000000000',
    buyer: { id: other.buyer.id, email: '', ipAddress: '' },
  })
})

it('has what a shop has told of an order besides', async () => {
  const { token, buyer, input } = await aShop()
  const custom = { basket: 'B-17' }
  const paid = { grossCents: 900, currency: 'EUR', invoiceNumber: '2026-0815' }
  const [order] = await placed(token, [{ ...input, custom, paid }])
  expect((await read(token, buyer)).summaries).toMatchObject([{ id: order?.id, custom, paid }])
})

it('has what an administrator did', async () => {
  const { master, user } = await aPerson()
  await call('POST', `/api/admin/users/${user.id}/forget`, { token: master })
  const { sub } = JSON.parse(atob(master.split('.')[1] ?? ''))
  const { actions } = await read(master, { id: Number(sub) })
  expect(actions).toMatchObject([{ action: 'user.forget', subject: `${user.id}` }])
})

it('returns orders in pages', async () => {
  const { token, buyer, input } = await aShop({ nft: { amount: 200 } })
  const first = await placed(token, copies(100, input))
  const [last] = await placed(token, [input])
  const page = await read(token, buyer)
  expect(page.orders).toHaveLength(100)
  expect(page.orders[0]?.id).toBe(last?.id)
  const next = await read(token, buyer, `?cursor=${page.nextCursor}`)
  expect(next.orders.map(({ id }) => id)).toEqual([first[0]?.id])
  expect(next.nextCursor).toBeNull()
})

it('is of users who exist', async () => {
  expect((await read(await aMasterToken(), { id: 999_999 })).status).toBe(404)
})
