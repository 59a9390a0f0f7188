/** The list of transfers, and the pages of orders, users and NFTs, for operators. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { explain, rules } from '../../src/delivery/reasons.ts'
import { sentence, shortAddress } from '../../src/pages/components/text.ts'
import { aShop, billingData, placed, sold, times } from '../orders/shop.ts'
import { aTransaction, aUser, db, findRow } from '../support/makers.ts'
import { ageSession, aSignedInVisitor, locationOf, type Visitor } from '../support/visitor.ts'
import {
  anAdministratorVisitor,
  anItem,
  emptyPages,
  failed,
  minutesAgo,
  read,
  stateOf,
  stockOfItem,
} from './operator.ts'

const LIST = '/operations/transfers'

let visitor: Visitor

beforeEach(async () => {
  await emptyPages()
  visitor = (await anAdministratorVisitor()).visitor
})

type Fields = Record<string, string | number>

/** Sends the form with the selected items, and reads the page that it leads to. */
async function act(visitor: Visitor, ids: number[], fields: Fields) {
  const response = await visitor.post(LIST, {
    form: [
      ...Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
      ...ids.map((id): [string, string] => ['id', String(id)]),
    ],
  })
  expect(response.status).toBe(303)
  return read(visitor, response.headers.get('location') ?? '')
}

const waiting = { state: 'queued', dueAt: minutesAgo(-5), waitingSince: minutesAgo(5) } as const

describe('the list of transfers', () => {
  it('shows those that match the filter, how many there are, and what a retry can do', async () => {
    const { id, orderId } = await anItem(failed('seller_has_no_wallet'), 'LIST-1')
    await anItem(failed('recipient_rejects'))
    const { html, text } = await read(visitor, `${LIST}?state=failed&code=seller_has_no_wallet`)
    expect(text).toContain(
      `1 transfer matches ${sentence(rules.seller_has_no_wallet.sentence)} A retry fails again at once, unless the seller links a wallet before.`,
    )
    expect(text).toContain(
      `Transfer ${id} Failed A picture 1 piece €10.00 Order LIST-1 (id ${orderId}) localhost Ordered just now`,
    )
    expect(html.match(/type="checkbox" name="id"/g)).toHaveLength(1)
    expect((await read(visitor, `${LIST}?state=failed`)).text).toContain('2 transfers match')
    expect((await read(visitor, `${LIST}?state=&code=no&chain=x&cursor=-1`)).text).toContain(
      `Transfer ${id}`,
    )
    expect((await read(visitor, `${LIST}?state=failed&chain=5`)).text).toContain(
      'No transfer matches.',
    )
  })

  it('shows what items wait for, the oldest first', async () => {
    const dueAt = new Date(Date.now() + 5 * 60_000).toISOString()
    const waiting = await anItem({ state: 'queued', ...explain('no_relayer', 'X'), dueAt })
    const cancelled = await anItem({ state: 'queued', requestedAction: 'cancel', dueAt })
    const { text } = await read(visitor, `${LIST}?state=queued`)
    expect(text).toContain(
      `Transfer ${waiting.id} Queued A picture 1 piece €10.00 Order ${waiting.orderId} localhost Ordered just now` +
        ` Next attempt in 4 minutes ${sentence(`${rules.no_relayer.sentence}: X`)}` +
        ` Transfer ${cancelled.id} Being cancelled`,
    )
  })

  it('goes on with another page, and counts those of all pages', async () => {
    const { token, input } = await aShop({ nft: { amount: 60, availableAmount: 60 } })
    await placed(
      token,
      times(55, () => input),
    )
    await db.update(deliveries).set(failed('no_relayer')).where(eq(deliveries.state, 'queued'))
    const boxes = (html: string) => html.match(/type="checkbox" name="id"/g)?.length
    const first = await read(visitor, `${LIST}?state=failed`)
    expect(first.text).toContain('55 transfers match')
    expect(boxes(first.html)).toBe(50)
    const [, next = ''] = /href="([^"]*cursor=\d+)"/.exec(first.html) ?? []
    const second = await read(visitor, next.replaceAll('&amp;', '&'))
    expect(second.text).toContain('55 transfers match')
    expect(boxes(second.html)).toBe(5)
    expect(second.text).toContain('First transfers')
    expect(second.text).not.toContain('Next transfers')
  })
})

describe('what is done to many transfers', () => {
  it('tries all that match now, those of other pages too, and wakes the chain', async () => {
    const sendBatch = vi.spyOn(env.DELIVERIES, 'sendBatch').mockResolvedValue({} as never)
    const due = await anItem({ ...waiting, ...explain('holder_not_approved'), chainId: 31337 })
    const other = await anItem({ ...waiting, ...explain('no_relayer'), chainId: 31337 })
    sendBatch.mockClear()
    const filter = { state: 'queued', code: 'holder_not_approved' }
    const { text } = await act(visitor, [], { ...filter, action: 'retry-all' })
    expect(text).toContain('1 transfer is tried now.')
    const rows = await db.select().from(deliveries)
    const dueOf = (id: number) => rows.find((row) => row.id === id)?.dueAt ?? ''
    expect(dueOf(due.id) <= new Date().toISOString()).toBe(true)
    expect(dueOf(other.id)).toBe(waiting.dueAt)
    expect(sendBatch).toHaveBeenCalledWith([{ body: { chainId: 31337 }, delaySeconds: 0 }])
    // What is due already needs no change, but is looked at.
    const again = await act(visitor, [], { state: 'queued', action: 'retry-all', chain: 31337 })
    expect(again.text).toContain('1 transfer is tried now.')
    const last = await act(visitor, [], { state: 'queued', action: 'retry-all' })
    expect(last.text).toContain('What is due already is tried now. Nothing else had to be changed.')
    expect(sendBatch).toHaveBeenCalledTimes(3)
    sendBatch.mockRestore()
  })

  it.each([{}, { state: 'transferred' }, { state: 'failed', code: 'x' }])(
    'changes nothing with a filter that the page does not offer: %o',
    async (filter) => {
      const { id } = await anItem(failed('no_relayer'))
      const response = await visitor.post(LIST, { form: { action: 'retry-all', ...filter } })
      expect(response.status).toBe(400)
      expect(await stateOf(id)).toBe('failed')
    },
  )

  it('says what was done, what was not, and why, as it is now', async () => {
    const good = await anItem(failed('recipient_rejects'))
    const final = await anItem(failed('token_moved_nothing'))
    const flying = await anItem({ state: 'in_flight', dueAt: null })
    const buyer = await aUser({ ethereumPublicAddr: '' })
    const { input, token } = await aShop()
    const [order] = await placed(token, [
      { ...input, buyerUserId: buyer.id, buyerBillingData: billingData },
    ])
    const awaiting = order?.orderItems[0]?.id ?? 0
    const ids = [good.id, final.id, flying.id, awaiting]
    const page = await act(visitor, ids, { action: 'retry' })
    expect(page.text).toContain(`1 transfer queued again, and tried at once. Transfer ${good.id}`)
    expect(page.text).toContain(
      `1 transfer not changed: the delivery key is used up: write the item off. Transfer ${final.id}`,
    )
    expect(page.text).toContain(
      `1 transfer sent: it is delivered when its transaction is final. Transfer ${flying.id}`,
    )
    expect(page.text).toContain(
      `1 transfer waiting until the buyer links a wallet. Transfer ${awaiting}`,
    )
    const [entry] = await db.select().from(auditLog)
    expect(entry?.action).toBe('transfer.retry')
    expect(entry?.details).toEqual({ items: [good.id] })
  })

  it('says that a retried transfer has failed again', async () => {
    const { id } = await anItem(failed('seller_has_no_wallet'))
    const response = await visitor.post(LIST, { form: { action: 'retry', id: String(id) } })
    await db.update(deliveries).set(failed('seller_has_no_wallet')).where(eq(deliveries.id, id))
    const { text } = await read(visitor, response.headers.get('location') ?? '')
    const again = `tried, and failed again: ${rules.seller_has_no_wallet.sentence}.`
    expect(text).toContain(`1 transfer ${again}`)
    const one = await read(visitor, `${LIST}/${id}?done=retry`)
    expect(one.text).toContain(`The transfer is ${again}`)
    expect(one.text).toContain('Retry anyway')
    // Without scripts, the page is loaded again for what follows.
    expect(one.html).toContain('http-equiv="refresh" content="30"')
    expect(one.text).not.toContain('queued again')
  })

  it('cancels those that are selected, which needs a recent sign-in', async () => {
    const first = await anItem(failed('recipient_rejects'))
    const second = await anItem(failed('recipient_rejects'))
    const page = await read(visitor, `${LIST}?state=failed`)
    expect(page.text).toContain('Keep Cancel transfers')
    const { text } = await act(visitor, [first.id], { action: 'cancel', state: 'failed' })
    expect(text).toContain(
      `1 transfer being cancelled: it ends once the chain has recorded that. Transfer ${first.id}`,
    )
    await ageSession(visitor, 11)
    const response = await visitor.post(LIST, { form: { action: 'cancel', id: String(second.id) } })
    expect(response.headers.get('location')).toContain('/sign-in/again')
    expect(await stateOf(second.id)).toBe('failed')
  })

  it('writes off those whose keys are used up, and returns the pieces of each', async () => {
    const one = await anItem(failed('token_moved_nothing'))
    const two = await anItem(failed('token_moved_nothing'))
    const stock = await stockOfItem(two.id)
    const ids = [one.id, two.id]
    const page = await act(visitor, ids, { action: 'write_off', returnPieces: 'on' })
    expect(page.text).toContain(`2 transfers written off. Transfer ${one.id} Transfer ${two.id}`)
    expect(await stateOf(one.id)).toBe('written_off')
    expect(await stockOfItem(two.id)).toBe(stock + 1)
  })
})

describe('the pages of an order, a user and an NFT', () => {
  it('have what operators need, and link to each other', async () => {
    const { input, seller, nft, listing, token, buyer } = await aShop({ nft: { title: 'Tide' } })
    const {
      order,
      item: { id: item },
    } = await sold(token, { ...input, providerId: 'PAGES-1' })
    await aTransaction({ items: [item] })
    const links = (html: string) =>
      [...html.matchAll(/href="(\/operations\/(?:orders|users|nfts|transfers)\/\d+)"/g)].map(
        ([, path]) => path,
      )
    const ofOrder = await read(visitor, `/operations/orders/${order.id}`)
    expect(ofOrder.text).toMatch(
      new RegExp(
        `Order PAGES-1 \\(id ${order.id}\\) Placed with master token “.*” Placed just now Total €10.00 Paid – Buyer ${shortAddress(buyer.ethereumPublicAddr)}`,
      ),
    )
    expect(ofOrder.html).toContain(`<title>Order PAGES-1 (id ${order.id}) · Marketplace</title>`)
    expect(links(ofOrder.html)).toEqual(
      expect.arrayContaining([`/operations/users/${buyer.id}`, `/operations/transfers/${item}`]),
    )
    // Personal data is only on the page of the person.
    expect(ofOrder.text).not.toContain('Am Markt 1')
    const ofBuyer = await read(visitor, `/operations/users/${buyer.id}`)
    expect(ofBuyer.text).toMatch(
      new RegExp(`Bought last Transfer ${item} Queued Tide 1 piece .*The user has sold nothing.`),
    )
    const ofSeller = await read(visitor, `/operations/users/${seller.id}`)
    expect(ofSeller.text).toMatch(
      new RegExp(
        `Sold last Transfer ${item} Queued Tide 1 piece .* Listings Listing ${listing.id} : Tide €10.00 NFT ${nft.id} Seller: ${shortAddress(seller.ethereumPublicAddr)}`,
      ),
    )
    const ofNft = await read(visitor, `/operations/nfts/${nft.id}`)
    expect(ofNft.text).toContain(`NFT ${nft.id}: Tide`)
    expect(ofNft.text).toContain('Left 9 of 10')
    expect(links(ofNft.html)).toContain(`/operations/users/${seller.id}`)
    const ofItem = await read(visitor, `/operations/transfers/${item}`)
    expect(links(ofItem.html)).toEqual(
      expect.arrayContaining([
        `/operations/orders/${order.id}`,
        `/operations/users/${buyer.id}`,
        `/operations/users/${seller.id}`,
        `/operations/nfts/${nft.id}`,
      ]),
    )
  })

  it.each(['orders', 'users', 'nfts'])('are 404 for %s that do not exist', async (kind) => {
    expect((await visitor.get(`/operations/${kind}/999999`)).status).toBe(404)
  })
})

describe('the search', () => {
  const searchFor = (visitor: Visitor, q: string) =>
    visitor.get(`/operations/search?q=${encodeURIComponent(q)}`)

  it('opens the only transfer that has the number, key, transaction or event', async () => {
    const { id, orderId } = await anItem({ dueAt: null }, 'ORDER-99')
    const hash = `0x${'e'.repeat(64)}` as const
    const old = `0x${'f'.repeat(64)}` as const
    await aTransaction({ items: [id], hash, replaced: [old] })
    const [event] = await db.select().from(events).where(eq(events.orderId, orderId))
    const delivery = await findRow(deliveries, id)
    for (const q of [
      'ORDER-99',
      ' ORDER-99 ',
      // As mails interrupt numbers, and spreadsheets begin texts.
      'ORDER\u200b-\u200b99',
      '\ufeffORDER-99',
      delivery?.key ?? '',
      hash,
      old,
      old.toUpperCase().replace('X', 'x'),
      `evt_${event?.id}`,
    ])
      expect(await locationOf(searchFor(visitor, q)), q).toBe(`/operations/transfers/${id}`)
  })

  it('finds a user by wallet and by e-mail address, with what the user bought and sold', async () => {
    const { input, seller, token } = await aShop({ nft: { title: 'Blue' } })
    const email = 'ada@xn--bcher-kva.example'
    const { user } = await aSignedInVisitor({ email, name: 'Ada' })
    const billing = { buyerUserId: user.id, buyerBillingData: billingData }
    const { order, item } = await sold(token, { ...input, ...billing })
    const id = item.id
    const wallet = user.ethereumPublicAddr
    for (const q of [wallet.toLowerCase(), `\u200e0X${wallet.slice(2)}`, 'ADA@bücher.example']) {
      const path = `/operations/search?${new URLSearchParams({ q })}`
      const { sectionOf } = await read(visitor, path)
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${order.id} , Transfer ${id} Queued Bought by the user Blue`,
      )
      expect(sectionOf('people')).toContain(`Ada User ${user.id} ada@`)
    }
    const ofSeller = await read(visitor, `/operations/search?q=${seller.id}`)
    expect(ofSeller.sectionOf('orders-and-transfers')).toContain(
      `Transfer ${id} Queued Sold by the user Blue`,
    )
  })

  it('finds beginnings of numbers, ids and addresses, and words of titles and names', async () => {
    const { nft } = await aShop({ nft: { title: 'Moonlit Harbour <b>' } })
    const { user, visitor: grace } = await aSignedInVisitor({
      email: 'grace.hopper@example.com',
      name: 'Grace Brewster',
    })
    const first = await anItem({ dueAt: null }, 'PRE-100')
    const second = await anItem({ dueAt: null }, 'PRE-101')
    const { sectionOf } = await read(visitor, '/operations/search?q=PRE-1')
    for (const [number, { id, orderId }] of [
      ['PRE-100', first],
      ['PRE-101', second],
    ] as const)
      expect(sectionOf('orders-and-transfers')).toContain(
        `Order ${number} (id ${orderId}) , Transfer ${id} Queued Order with this number A picture`,
      )
    for (const q of ['mo', 'HARB', 'harbour moon', String(nft.id)]) {
      const found = await read(visitor, `/operations/search?q=${encodeURIComponent(q)}`)
      expect(found.sectionOf('nfts'), q).toContain(`NFT ${nft.id} : Moonlit Harbour &lt;b&gt;`)
      expect(found.html).toContain(`href="/operations/nfts/${nft.id}"`)
    }
    expect((await read(visitor, '/operations/search?q=arbour')).text).toContain('Nothing has this')
    for (const q of ['Grace.H', 'gr', 'brewster']) {
      const people = await read(visitor, `/operations/search?q=${q}`)
      expect(people.sectionOf('people'), q).toContain(`Grace Brewster User ${user.id} grace.h`)
    }
    const people = await read(visitor, '/operations/search?q=grace')
    expect(people.html).toContain(`href="/operations/users/${user.id}"`)
    await grace.post('/settings/profile', { form: { name: 'Amazing', username: 'hopper' } })
    for (const [q, isFound] of [
      ['amaz', true],
      ['hopp', true],
      ['brewster', false],
    ] as const)
      expect((await read(visitor, `/operations/search?q=${q}`)).text.includes('Nothing has')).toBe(
        !isFound,
      )
  })
})
