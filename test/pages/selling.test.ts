import { env } from 'cloudflare:workers'
import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { downloads } from '../../src/db/schema/content.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { CONTRACT } from '../catalogue/records.ts'
import { recordWakeUps } from '../orders/shop.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { anEngine, networksOf, rowOf } from '../support/delivery/engine.ts'
import { paidItems, type Sale } from '../support/delivery/items.ts'
import {
  aContentFile,
  aListing,
  anNft,
  aSession,
  aUser,
  db,
  findRow,
  setRow,
} from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import { fieldsIn } from '../support/record-form.ts'
import {
  aSignedInVisitor,
  aVisitor,
  locationOf,
  pageOf,
  textOf,
  type Visitor,
} from '../support/visitor.ts'

const wakeUps = recordWakeUps()

const PATH = '/settings/selling'

const envOf = (chain: Chain, settings = {}) =>
  ({ NETWORKS: networksOf([chain], settings) }) as unknown as Partial<Env>

/** Reads the page: its HTML, and the texts of its contracts and of its listings. */
async function read(
  visitor: Visitor,
  overrides = { NETWORKS: {} } as unknown as Partial<Env>,
  query = '',
) {
  const { status, html } = await pageOf(visitor.get(PATH + query, { env: overrides }))
  expect(status).toBe(200)
  const [contracts = '', listings = ''] = html.split('<h3 id="listings">')
  const rowsOf = (part: string) =>
    part
      .split('<li class="row"')
      .slice(1)
      .map((row) => textOf(`<li${row.split('</li>')[0]}`))
  return { html, contracts: rowsOf(contracts), listings: rowsOf(listings) }
}

/** Sells on a chain, and signs the seller in, whose key the test does not have. */
async function aSellerOf(chain: Chain, sales: readonly Sale[]) {
  const items = await paidItems(chain, sales)
  const row = await findRow(orderItems, items[0]?.id)
  const visitor = aVisitor(await aSession({ id: row?.sellerId ?? 0 }))
  return { items, visitor }
}

/** Reads the contracts of one chain. All chains of a test file have the same seller. */
async function contractsOn(chain: Chain, visitor: Visitor, settings = {}) {
  const { contracts } = await read(visitor, envOf(chain, settings))
  return contracts.filter((text) => text.includes(chain.name))
}

const retry = (visitor: Visitor, overrides: Partial<Env>, form: Record<string, string>) =>
  visitor.post(`${PATH}/retry`, { env: overrides, form })

it('leads a seller from a missing permission to a delivered order', async () => {
  const chain = await aChain({ erc1155: 5 })
  const { visitor, items } = await aSellerOf(chain, [{ standard: 'erc1155', quantity: 2 }])
  const [item = { id: 0 }] = items
  const networks = envOf(chain)
  const contract = chain.contracts.erc1155
  const sold = { network: chain.name, contract, fulfilment: 'transfer' }
  const waitForSeller = async () => {
    await anEngine(chain).run()
    return rowOf(item)
  }
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  expect(await waitForSeller()).toMatchObject({
    state: 'queued',
    reasonCode: 'holder_not_approved',
  })

  const before = await read(visitor, networks)
  expect(before.contracts).toHaveLength(1)
  expect(before.contracts[0]).toMatch(
    new RegExp(`^erc1155 missing ${chain.name} ${contract} NFTs wait for this. Next try:`),
  )
  expect(before.html).not.toContain('Try now')
  const [, action = ''] = /data-action="([^"]*)"/.exec(before.html) ?? []
  expect(JSON.parse(action.replaceAll('&quot;', '"'))).toEqual({
    label: 'Allow delivery',
    subject: 'erc1155',
    account: chain.seller,
    network: { chainId: chain.chainId, name: chain.name, addition: null },
    request: { allow: 'transfer', contract, delivery: chain.delivery },
  })
  expect(before.listings).toEqual([
    expect.stringMatching(
      /^A picture Listing \d+ €1.00 99 left 2 sold 2 waiting Change A picture$/,
    ),
  ])
  expect(await locationOf(retry(visitor, networks, sold))).toBe(PATH)

  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
  const after = await read(visitor, networks)
  expect(after.contracts[0]).toMatch(/^erc1155 allowed .* Try now$/)
  expect(wakeUps).not.toHaveBeenCalled()
  expect(await locationOf(retry(visitor, networks, sold))).toBe(`${PATH}?notice=sold-retried`)
  expect(wakeUps).toHaveBeenCalledExactlyOnceWith([
    { body: { chainId: chain.chainId }, delaySeconds: 0 },
  ])
  await anEngine(chain).run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  const done = await read(visitor, networks)
  expect(done.contracts[0]).toBe(`erc1155 allowed ${chain.name} ${contract}`)
  expect(done.listings[0]).toContain('2 sold 0 waiting')
})

it('tries nothing that others have sold, nor what waits for something else', async () => {
  const chain = await aChain({ erc721: 2 })
  const { items } = await aSellerOf(chain, [{ standard: 'erc721' }])
  const [item = { id: 0 }] = items
  await chain.erc721AsSeller('setApprovalForAll', chain.delivery, false)
  await anEngine(chain).run()
  await chain.erc721AsSeller('setApprovalForAll', chain.delivery, true)
  const before = await rowOf(item)
  // Has the wallet that has approved, on another chain.
  const identityHash = crypto.randomUUID()
  const wallet = { ethereumPublicAddr: chain.seller, walletChainId: 5, identityHash }
  const other = await aUser(wallet)
  const visitor = aVisitor(await aSession(other))
  const sold = { network: chain.name, contract: chain.contracts.erc721, fulfilment: 'transfer' }
  await retry(visitor, envOf(chain), sold)
  expect(await rowOf(item)).toEqual(before)
  expect((await read(visitor, envOf(chain))).contracts).toEqual([])
})

it('says whether NFTs can be minted, and asks for the role of a minter', async () => {
  const chain = await aChain({ mints: true })
  const sale = { standard: 'erc721', fulfilment: 'mint' } as const
  const token = await chain.aTokenWithoutMinter()
  const { visitor } = await aSellerOf(chain, [sale, { ...sale, contract: token }])
  const texts = await contractsOn(chain, visitor)
  expect(texts).toHaveLength(2)
  expect(texts[0]).toMatch(/^erc721 missing .* Minted on delivery$/)
  expect(texts[1]).toMatch(/^erc721 allowed .* Minted on delivery$/)
  const { html } = await read(visitor, envOf(chain))
  expect(html).toContain('&quot;label&quot;:&quot;Allow minting&quot;')
})

it('asks for the permission of what the seller holds, also where there is a treasury', async () => {
  const chain = await aChain({ erc1155: 2 })
  const treasury = getAddress(chain.owner)
  await chain.erc1155AsSeller('safeTransferFrom', chain.seller, treasury, 1n, 1n, '0x')
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  const sale = { standard: 'erc1155' } as const
  const { visitor, items } = await aSellerOf(chain, [sale, { ...sale, heldBySeller: true }])
  await anEngine(chain, { treasury }).run()
  expect(await contractsOn(chain, visitor, { treasury })).toEqual([
    expect.stringMatching(/^erc1155 missing .* Next try:/),
    expect.stringMatching(/^erc1155 not needed .* Held by the marketplace .* Next try:/),
  ])
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
  const states = () => Promise.all(items.map(rowOf))
  const [ofTreasury, own] = await states()
  const contract = chain.contracts.erc1155
  const sold = { network: chain.name, contract, fulfilment: 'transfer' }
  const done = retry(visitor, envOf(chain, { treasury }), sold)
  expect(await locationOf(done)).toBe(`${PATH}?notice=sold-retried`)
  const [same, retried] = await states()
  expect(same).toEqual(ofTreasury)
  expect(Date.parse(`${retried?.dueAt}`)).toBeLessThan(Date.parse(`${own?.dueAt}`))
})

it('asks a seller without a wallet to link one', async () => {
  const chain = await aChain({ erc721: 1 })
  const { visitor, user } = await aSignedInVisitor()
  await setRow(users, user.id, { ethereumPublicAddr: '' })
  const nft = await anNft(user, { contractNetwork: chain.name })
  await aListing(nft)
  const [text] = await contractsOn(chain, visitor)
  expect(text).toContain('Link the wallet that holds the tokens of this contract.')
  expect(text).not.toContain('Load this page again')
})

it('says why it does not know, and is not slow, if the node does not answer', async () => {
  const chain = await aChain({ erc721: 1 })
  const { visitor } = await aSellerOf(chain, [{ standard: 'erc721' }])
  await chain.setFaults({ effect: { http: 502, reach: 'none' } })
  const [down] = await contractsOn(chain, visitor)
  expect(down).toContain('Not known: the node answered with HTTP 502 . Load')
  await chain.setFaults({ effect: { http: 'hang', reach: 'none' } })
  const startedAt = performance.now()
  const [slow] = await contractsOn(chain, visitor)
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE)
  expect(slow).toContain('Not known: the node did not answer in time . Load')
})

it('shows a permission as given if all nodes that answer say so', async () => {
  const chain = await aChain({ erc721: 1 })
  const { visitor } = await aSellerOf(chain, [{ standard: 'erc721' }])
  const rpcUrls = ['first', 'second'].map((name) => `${chain.proxyUrl}/${name}`)
  const told = async () => (await contractsOn(chain, visitor, { rpcUrls }))[0]
  const says = (node: string, bit: 0 | 1) => ({
    ...{ node, on: ['eth_call'], effect: { result: `0x${`${bit}`.padStart(64, '0')}` } },
  })
  expect(await told()).toContain('erc721 allowed')
  await chain.setFaults({ node: 'first', effect: { http: 'drop', reach: 'none' } })
  expect(await told()).toContain('erc721 allowed')
  await chain.setFaults(says('second', 0))
  expect(await told()).toContain('erc721 missing')
  await chain.erc721AsSeller('setApprovalForAll', chain.delivery, false)
  await chain.setFaults(says('first', 1))
  expect(await told()).toContain('erc721 missing')
})

it('asks a node about at most 20 contracts, and tries one NFT of each', async () => {
  const chain = await aChain()
  const { visitor, user } = await aSignedInVisitor()
  for (let i = 0; i < 25; i++) await aListing(await anNft(user, { contractNetwork: chain.name }))
  await chain.takeCounts()
  const { contracts } = await read(visitor, envOf(chain, { callsPerBatch: 100 }))
  expect(contracts).toHaveLength(20)
  // The permissions and the standards. There is no contract that could be tried.
  expect(await chain.takeCounts()).toMatchObject({ requests: 1, calls: { eth_call: 60 } })
})

it('says what cannot be delivered although it is allowed, and which listings are not sold for that', async () => {
  const chain = await aChain()
  const contract = await chain.aPeculiarToken('SoulboundToken')
  const { visitor, items } = await aSellerOf(chain, [
    { standard: 'erc721', contract, tokenId: '0' },
  ])
  const [text] = await contractsOn(chain, visitor)
  const { sentence } = rules.token_not_transferable
  expect(text).toMatch(/^erc721 allowed /)
  expect(text).toMatch(`Cannot be delivered: ${sentence}: error 0x0f2e5b6c.`)
  await env.DB.prepare(`UPDATE listings SET obstacle = 'token_not_transferable' WHERE id = ?`)
    .bind(items[0]?.id)
    .run()
  const { listings } = await read(visitor, envOf(chain))
  expect(listings[0]).toContain(`Not sold: ${sentence}`)
})

it('asks no node above the limit of endpoints that do', async () => {
  const { visitor } = await aSignedInVisitor()
  const refused = { SIGN_IN_LIMIT: { limit: async () => ({ success: false }) } }
  const sold = { network: 'mainnet', contract: 'any', fulfilment: 'transfer' }
  expect((await visitor.get(PATH, { env: refused })).status).toBe(429)
  expect((await retry(visitor, refused, sold)).status).toBe(429)
})

it('shows the own listings only, 20 on a page', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const nft = await anNft(user, { title: 'Sun', amountType: 'unlimited' })
  const ids: number[] = []
  for (let i = 0; i < 22; i++) ids.push((await aListing(nft, { active: i > 0 })).id)
  const other = await aUser()
  await aListing(await anNft(other, { title: 'Moon' }))
  const { html, listings } = await read(visitor)
  expect(html).not.toContain('Moon')
  expect(listings[0]).toBe(`Sun Listing ${ids.at(-1)} €10.00 No limit 0 sold 0 waiting Change Sun`)
  const [, query = ''] = /href="\/settings\/selling(\?before=\d+)"/.exec(html) ?? []
  const next = await read(visitor, undefined, query)
  expect(next.listings).toEqual([
    expect.stringContaining(`Listing ${ids[1]} `),
    expect.stringContaining(`Sun Not active Listing ${ids[0]} `),
  ])
})

it('shows who has created what is sold how often its files were loaded', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const [own, other] = [await anNft(user, { title: 'Own' }), await anNft(await aUser())]
  for (const nft of [own, other]) {
    await aListing(nft, { sellerId: user.id })
    await aContentFile(nft, { name: 'a.mp3' })
    const load = { nftId: nft.id, name: 'a.mp3', userId: 9, orderItemId: 0, count: 3 }
    await db.insert(downloads).values([
      { ...load, day: '2026-01-30' },
      { ...load, day: '2026-01-31', count: 1_200 },
    ])
  }
  const { listings } = await read(visitor)
  expect(listings).toEqual([
    expect.stringMatching(/ waiting Change A picture$/),
    expect.stringMatching(/^Own .* 1,203 downloads in 90 days Change Own$/),
  ])
})

let tokens = 0

/** A user who sells 7 of 10 pieces of an NFT that the user has created, and that are minted. */
async function aCreator() {
  const { visitor, user } = await aSignedInVisitor()
  const nft = await anNft(user, {
    ...{ title: 'Tide', amount: 10, availableAmount: 7 },
    ...{ contractAddr: CONTRACT, tokenId: String(++tokens), wasReleased: true, fulfilment: 'mint' },
    payload: { title: 'Tide', amountType: 'limited', metadata: { name: 'Tide' } },
  })
  const listing = await aListing(nft, { activeTill: '2030-01-31T12:30:15.250Z' })
  return { visitor, user, nft, listing, path: `${PATH}/${listing.id}` }
}

const send = (visitor: Visitor, path: string, values: Record<string, string | null>) => {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null)
  return pageOf(visitor.post(path, { form: Object.fromEntries(given) }))
}

/** Opens the page of a listing, and sends its form with other values; null takes a field away. */
async function change(visitor: Visitor, path: string, values: Record<string, string | null>) {
  const { html } = await pageOf(visitor.get(path))
  return send(visitor, path, { ...fieldsIn(html), ...values })
}

it('lets a seller change price, pause, end and stock of a listing, and nothing else', async () => {
  const { visitor, nft, listing, path } = await aCreator()
  const { html } = await read(visitor)
  expect(html).toContain(`<a class="button small" href="${path}">Change`)
  const [listingBefore, nftBefore] = [
    await findRow(listings, listing.id),
    await findRow(nfts, nft.id),
  ]
  const changed = await change(visitor, path, {
    priceCents: '12.5',
    priceEths: '0.006',
    perOrder: '2',
    active: null,
    activeTill: '2031-02-03T04:05',
    amount: '12',
    shopUrl: 'https://shop.example/',
    sellerId: '1',
  })
  expect(changed).toMatchObject({ status: 303, location: `${PATH}?notice=listing-changed` })
  expect(await findRow(listings, listing.id)).toEqual({
    ...listingBefore,
    priceCents: 1250,
    priceEths: '0.006',
    priceWei: '6000000000000000',
    amount: 2,
    active: false,
    activeTill: '2031-02-03T04:05:00.000Z',
    checkAt: expect.any(String),
    untriedUntil: null,
    updatedAt: expect.any(String),
  })
  expect(await findRow(nfts, nft.id)).toEqual({
    ...nftBefore,
    amount: 12,
    availableAmount: 9,
    changedAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  const after = await read(visitor, undefined, '?notice=listing-changed')
  expect(after.html).toContain('The listing is changed.')
  expect(after.listings[0]).toContain('Tide Not active')
  expect(await db.$count(auditLog)).toBe(0)
  expect((await change(visitor, path, { active: 'on', activeTill: '' })).status).toBe(303)
  expect(await findRow(listings, listing.id)).toMatchObject({ active: true, activeTill: null })
})

it('shows a listing and its form to its seller, and to nobody else', async () => {
  const { visitor, path, listing } = await aCreator()
  const { html } = await pageOf(visitor.get(path))
  expect(textOf(html)).toContain(`Tide Listing ${listing.id} €10.00 7 left 0 sold 0 waiting`)
  expect(html).toContain('aria-label="No picture"')
  const other = await aSignedInVisitor()
  expect((await other.visitor.get(path)).status).toBe(404)
  const { amount, ...shown } = fieldsIn(html)
  const fields = { ...shown, priceCents: '11' }
  for (const values of [fields, { ...fields, shown: '{}' }, { ...fields, amount: '12' }])
    expect((await send(other.visitor, path, values)).status).toBe(404)
  expect(await findRow(listings, listing.id)).toMatchObject({ priceCents: 1000 })
})

it('overwrites neither a listing nor a stock that others have changed since they were shown', async () => {
  const { visitor, user, nft, listing, path } = await aCreator()
  await setRow(users, user.id, { language: 'de' })
  const { html } = await pageOf(visitor.get(path))
  await setRow(nfts, nft.id, { amount: 11, availableAmount: 8 })
  const stale = await send(visitor, path, { ...fieldsIn(html), priceCents: '11', amount: '12' })
  expect(stale.status).toBe(409)
  expect(stale.text).toContain(
    'Das hat sich inzwischen geändert: Prüfen Sie es, bevor Sie es ändern.',
  )
  expect(await findRow(listings, listing.id)).toMatchObject({ priceCents: 1000 })
  await setRow(listings, listing.id, { amount: 3 })
  const { amount, ...others } = fieldsIn(html)
  expect((await send(visitor, path, { ...others, priceCents: '11' })).status).toBe(409)
  expect(await findRow(listings, listing.id)).toMatchObject({ priceCents: 1000, amount: 3 })
})

it('sets the stock for who has created the NFT only, and never below what is sold', async () => {
  const { visitor, nft, path } = await aCreator()
  const sold = await change(visitor, path, { amount: '2', priceCents: '11' })
  expect(sold.status).toBe(400)
  expect(sold.text).toContain('More pieces are sold or reserved.')
  expect(fieldsIn(sold.html)).toMatchObject({ amount: '2', priceCents: '11' })

  const reseller = await aSignedInVisitor()
  const resold = await aListing(nft, { sellerId: reseller.user.id })
  const resoldPath = `${PATH}/${resold.id}`
  const { html } = await pageOf(reseller.visitor.get(resoldPath))
  expect(html).not.toContain('name="amount"')
  const forged = { amount: '50', shownAmount: '{"amount":10}' }
  const fields = { ...fieldsIn(html), priceCents: '11' }
  expect((await send(reseller.visitor, resoldPath, { ...fields, ...forged })).status).toBe(404)
  expect(await findRow(listings, resold.id)).toMatchObject({ priceCents: 1000 })
  expect((await send(reseller.visitor, resoldPath, fields)).status).toBe(303)
  expect(await findRow(listings, resold.id)).toMatchObject({ priceCents: 1100 })

  const { html: own } = await pageOf(visitor.get(path))
  await setRow(nfts, nft.id, { hasCodes: true, contentRelease: 'delivered' })
  expect((await pageOf(visitor.get(path))).html).not.toContain('name="amount"')
  expect((await send(visitor, path, { ...fieldsIn(own), amount: '50' })).status).toBe(409)
  expect(await findRow(nfts, nft.id)).toMatchObject({ amount: 10, availableAmount: 7 })
})

it('has no form for an auction', async () => {
  const { visitor, listing, path } = await aCreator()
  const { html } = await pageOf(visitor.get(path))
  await setRow(listings, listing.id, { type: 'auction' })
  expect((await read(visitor)).html).not.toContain(path)
  expect((await visitor.get(path)).status).toBe(404)
  expect((await send(visitor, path, fieldsIn(html))).status).toBe(404)
})
