/** The search of the pages for operators. */

import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { aShop, billingData, placed } from '../orders/shop.ts'
import { aTransaction, db } from '../support/makers.ts'
import { aSignedInVisitor, type Visitor } from '../support/visitor.ts'
import { anAdministratorVisitor, anItem, emptyPages, read } from './operator.ts'

beforeEach(emptyPages)

describe('the search', () => {
  const searchFor = (visitor: Visitor, q: string) =>
    visitor.get(`/operations/search?q=${encodeURIComponent(q)}`)

  it('opens the only transfer that has the number, key, transaction or event', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { id, orderId } = await anItem({ dueAt: null }, 'ORDER-99')
    const hash = `0x${'e'.repeat(64)}` as const
    const old = `0x${'f'.repeat(64)}` as const
    await aTransaction({ items: [id], hash, replaced: [old] })
    const [event] = await db.select().from(events).where(eq(events.orderId, orderId))
    const [delivery] = await db.select().from(deliveries).where(eq(deliveries.id, id))
    for (const q of [
      'ORDER-99',
      ' ORDER-99 ',
      delivery?.key ?? '',
      hash,
      old,
      old.toUpperCase().replace('X', 'x'),
      `evt_${event?.id}`,
    ]) {
      const response = await searchFor(visitor, q)
      expect(response.headers.get('location'), q).toBe(`/operations/transfers/${id}`)
    }
  })

  it('finds a user by wallet and by e-mail address, with what the user bought and sold', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { input, seller, token } = await aShop({ nft: { title: 'Blue' } })
    const email = 'ada@xn--bcher-kva.example'
    const { user } = await aSignedInVisitor({ email, name: 'Ada' })
    const billing = { buyerUserId: user.id, buyerBillingData: billingData }
    const [order] = await placed(token, [{ ...input, ...billing }])
    const id = order?.orderItems[0]?.id
    const wallet = user.ethereumPublicAddr
    for (const q of [wallet.toLowerCase(), `\u200e0X${wallet.slice(2)}`, 'ADA@bücher.example']) {
      const path = `/operations/search?${new URLSearchParams({ q })}`
      const { sectionOf } = await read(visitor, path)
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${order?.id} , Transfer ${id} Queued Bought by the user Blue`,
      )
      expect(sectionOf('users')).toContain(`User ${user.id} : Ada`)
    }
    const sold = await read(visitor, `/operations/search?q=${seller.id}`)
    expect(sold.sectionOf('orders-and-transfers')).toContain(
      `Transfer ${id} Queued Sold by the user Blue`,
    )
  })

  it('groups everything that has the same id', async () => {
    const { visitor } = await anAdministratorVisitor()
    const shop = await aShop({ nft: { title: 'Green' } })
    await placed(shop.token, [shop.input])
    const { text, sectionOf } = await read(visitor, '/operations/search?q=1')
    expect(text).toContain('Results for “1”')
    expect(sectionOf('users')).toContain('User 1 :')
    expect(sectionOf('nfts')).toContain('NFT 1 :')
    expect(sectionOf('listings')).toContain('Listing 1:')
  })

  it('finds beginnings of numbers, ids, addresses and titles, and words of titles', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { nft } = await aShop({ nft: { title: 'Moonlit Harbour <b>' } })
    const { user } = await aSignedInVisitor({ email: 'grace.hopper@example.com', name: 'Grace' })
    const first = await anItem({ dueAt: null }, 'PRE-100')
    const second = await anItem({ dueAt: null }, 'PRE-101')
    const { sectionOf } = await read(visitor, '/operations/search?q=PRE-1')
    for (const { id, orderId } of [first, second])
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${orderId} , Transfer ${id} Queued Order with this number`,
      )
    for (const q of ['moonlit', 'HARB', 'harbour <b', String(nft.id)]) {
      const found = await read(visitor, `/operations/search?q=${encodeURIComponent(q)}`)
      expect(found.sectionOf('nfts'), q).toContain(`NFT ${nft.id} : Moonlit Harbour &lt;b&gt;`)
      expect(found.html).toContain(`href="/operations/nfts/${nft.id}"`)
    }
    expect((await read(visitor, '/operations/search?q=arbour')).text).toContain('Nothing has this')
    const people = await read(visitor, '/operations/search?q=Grace.H')
    expect(people.sectionOf('users')).toContain(`User ${user.id} : Grace grace.hopper@example.com`)
    expect(people.html).toContain(`href="/operations/users/${user.id}"`)
  })

  it('says that nothing was found, and where requests are', async () => {
    const { visitor } = await anAdministratorVisitor()
    const { text } = await read(visitor, '/operations/search?q=nothing')
    expect(text).toContain(
      'Nothing has this id, title, order number, e-mail address, wallet, hash or key, or begins with it.',
    )
    const request = await read(visitor, `/operations/search?q=${crypto.randomUUID()}`)
    expect(request.text).toContain('Requests are only in the log: search it for this requestId.')
  })
})
