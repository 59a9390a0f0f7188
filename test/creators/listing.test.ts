import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { checkListings } from '../../src/catalogue/check-listings.ts'
import { connect } from '../../src/db/client.ts'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { readSettings } from '../../src/env.ts'
import { aShop, placeError, sold } from '../orders/shop.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { tokenCalls } from '../support/chain/calls.ts'
import { aSession, execute, findRow, setRow } from '../support/makers.ts'
import { fieldsIn } from '../support/record-form.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

it('keeps a draft that nobody sees, and changes all of it', async () => {
  const chain = theChain()
  const { putNft, send, user } = await aCreator(chain)
  const created = await putNft('sunrise', anNftBody(chain, { tokenId: '7' }))
  expect(created).toMatchObject({
    status: 200,
    ref: 'sunrise',
    state: 'draft',
    available: 1,
    proposal: null,
    record: { id: `user-${user.id}/sunrise`, creator: `user-${user.id}`, heldBySeller: true },
  })
  expect(await answerOf(call('GET', `/api/public/nfts/${created.number}`))).toMatchObject({
    status: 400,
    code: 'nft_not_found',
  })
  const changed = await putNft(
    'sunrise',
    anNftBody(chain, { amount: 3, metadata: { name: 'Dawn' } }),
  )
  expect(changed).toMatchObject({
    number: created.number,
    state: 'draft',
    available: 3,
    record: { tokenId: '1', metadata: { name: 'Dawn' } },
  })
  expect(await send('GET', '/api/nfts?mine=true')).toMatchObject({
    nfts: [{ ref: 'sunrise', number: created.number }],
    nextCursor: null,
  })
})

it('puts on sale what was approved, and sells it from the wallet of its creator', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const nft = await creator.putNft('sunrise', anNftBody(chain, { publish: true }))
  expect(nft).toMatchObject({ status: 200, state: 'in_review', proposal: { fields: {} } })
  const listing = await creator.putListing('offer', aListingBody('sunrise'))
  expect(listing).toMatchObject({ status: 200, ref: 'offer', state: 'in_review' })
  const { token, input } = await aShop()
  const order = { ...input, listingId: listing.number, nftId: nft.number }
  expect(await placeError(token, [order])).toMatchObject({ code: 'nft_not_released' })

  const proposal = await creator.firstWaiting()
  expect(proposal).toMatchObject({ kind: 'nft', number: nft.number, userId: creator.user.id })
  // It waited for long.
  await setRow(nfts, nft.number, { releaseAt: '2026-01-01T00:00:00.000Z' })
  const before = new Date().toISOString()
  expect(await creator.decide(proposal, 'approve')).toMatchObject({
    status: 200,
    state: 'released',
  })
  const { releaseAt = '' } = (await findRow(nfts, nft.number)) ?? {}
  expect(releaseAt >= before).toBe(true)
  expect(await creator.waiting()).toEqual([])
  await execute('UPDATE listings SET untriedUntil = NULL')
  const { item } = await sold(token, order)
  expect(item).toMatchObject({ nftId: nft.number, quantity: 1 })
  expect(await answerOf(call('GET', `/api/public/nfts/${nft.number}`))).toMatchObject({
    nfts: [{ title: 'Sunrise', available: 0, sellable: false }],
  })
})

it('refuses pieces that the wallet does not hold, with those of its other records', async () => {
  const chain = theChain()
  const { putNft, user } = await aCreator(chain, { approved: true })
  expect(await putNft('all', anNftBody(chain, { amount: 6, publish: true }))).toMatchObject({
    status: 409,
    code: 'not_held',
  })
  expect(await putNft('some', anNftBody(chain, { amount: 3, publish: true }))).toMatchObject({
    status: 200,
    state: 'released',
  })
  expect(await putNft('again', anNftBody(chain, { amount: 1, publish: true }))).toMatchObject({
    status: 400,
    code: 'token_taken',
  })
  // What an operator sells for the same person.
  await execute(
    `UPDATE nfts SET externalId = 'imported', heldBySeller = 0 WHERE creatorId = ?`,
    user.id,
  )
  await execute(
    `INSERT INTO listings (externalId, nftId, sellerId, type, priceCents, priceEths, priceWei, priceCurrency, active, createdAt, updatedAt)
      SELECT 'imported', id, creatorId, 'regular', 1, '0', '0', 'EUR', 1, createdAt, createdAt FROM nfts WHERE creatorId = ?`,
    user.id,
  )
  expect(await putNft('more', anNftBody(chain, { amount: 3, publish: true }))).toMatchObject({
    code: 'not_held',
  })
  expect(await putNft('more', anNftBody(chain, { amount: 2, publish: true }))).toMatchObject({
    state: 'released',
  })
  expect(await putNft('more', anNftBody(chain, { amount: 3 }))).toMatchObject({ code: 'not_held' })
})

it('lets only who owns the contract mint, or whom an administrator permits it', async () => {
  const chain = theChain()
  const body = anNftBody(chain, {
    contract: chain.mintable.erc1155,
    fulfilment: 'mint',
    amountType: 'unlimited',
    publish: true,
  })
  const owner = await aCreator(chain, { approved: true })
  expect(await owner.putNft('mine', body)).toMatchObject({ status: 200, state: 'released' })
  const other = await aCreator(chain, { wallet: chain.otherSigner, approved: true })
  expect(await other.putNft('theirs', { ...body, tokenId: '2' })).toMatchObject({
    status: 409,
    code: 'mint_not_permitted',
  })
  await execute(
    `INSERT INTO mintPermissions VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z')`,
    other.user.id,
    chain.name,
    chain.mintable.erc1155,
  )
  expect(await other.putNft('theirs', { ...body, tokenId: '2' })).toMatchObject({
    state: 'released',
  })
})

it('lets nobody list who is not invited, and nobody where only the operator lists', async () => {
  const chain = theChain()
  const uninvited = await aCreator(chain, { creators: 'invited' })
  const refused = { status: 403, code: 'not_a_creator' }
  expect(await uninvited.putNft('a', anNftBody(chain))).toMatchObject(refused)
  expect(await uninvited.putListing('a', aListingBody('a'))).toMatchObject(refused)
  const invited = await aCreator(chain, { creators: 'invited', approved: true })
  expect(await invited.putNft('a', anNftBody(chain))).toMatchObject({ state: 'draft' })
  const closed = await aCreator(chain, { creators: 'off', approved: true })
  expect(await closed.putNft('a', anNftBody(chain))).toMatchObject(refused)
})

it('changes prices at once, and text and links of what is on sale once they are approved', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const nft = await creator.putNft('sunrise', anNftBody(chain, { publish: true }))
  const proposal = await creator.firstWaiting()
  await creator.decide(proposal, 'approve')

  const changed = await creator.putNft(
    'sunrise',
    anNftBody(chain, { priceCents: 3000, metadata: { name: 'Free money' }, publish: true }),
  )
  expect(changed).toMatchObject({
    state: 'released',
    record: { priceCents: 3000, metadata: { name: 'Sunrise' } },
    proposal: { state: 'in_review', fields: { metadata: { name: 'Free money' } } },
  })
  const first = await creator.firstWaiting()
  await creator.putNft(
    'sunrise',
    anNftBody(chain, { metadata: { name: 'Free beer' }, priceCents: 3000, publish: true }),
  )
  // It has changed since it was looked at.
  expect(await creator.decide(first, 'approve')).toMatchObject({ status: 409, code: 'conflict' })
  const second = await creator.firstWaiting()
  expect(
    await creator.decide(second, 'reject', { reason: 'There is no free beer.' }),
  ).toMatchObject({ status: 200, state: 'rejected' })
  const { nfts } = (await creator.send('GET', '/api/nfts?mine=true')) as never as { nfts: object[] }
  expect(nfts).toMatchObject([
    {
      state: 'released',
      proposal: { state: 'rejected', reason: 'There is no free beer.' },
      record: { metadata: { name: 'Sunrise' } },
    },
  ])
  expect(
    await creator.putNft(
      'sunrise',
      anNftBody(chain, { contract: chain.contracts.erc721, publish: true }),
    ),
  ).toMatchObject({ status: 400, code: 'cannot_change' })
  expect(
    await creator.putListing(
      'offer',
      aListingBody('sunrise', { shopUrl: 'https://evil.example/', publish: true }),
    ),
  ).toMatchObject({ record: { shopUrl: null }, proposal: { state: 'in_review' } })
  expect(await answerOf(call('GET', `/api/public/nfts/${nft.number}`))).toMatchObject({
    nfts: [{ title: 'Sunrise' }],
  })
})

it('asks once for a price that changes by much', async () => {
  const chain = theChain()
  const { putNft, putListing } = await aCreator(chain, { approved: true })
  await putNft('a', anNftBody(chain, { publish: true }))
  await putListing('b', aListingBody('a'))
  const cheap = { priceCents: 25 }
  const asked = { status: 409, code: 'confirmation_required' }
  expect(await putNft('a', anNftBody(chain, cheap))).toMatchObject(asked)
  expect(await putListing('b', aListingBody('a', cheap))).toMatchObject(asked)
  expect(await putListing('b', aListingBody('a', cheap), '?confirm=true')).toMatchObject({
    record: { priceCents: 25 },
  })
})

it('withdraws for good, and lets the token be listed again', async () => {
  const chain = theChain()
  const { putNft, putListing, send } = await aCreator(chain, { approved: true })
  const nft = await putNft('a', anNftBody(chain, { amount: 5, publish: true }))
  await putListing('b', aListingBody('a'))
  expect(await send('DELETE', '/api/listings/b')).toMatchObject({
    state: 'withdrawn',
    record: { active: false },
  })
  expect(await send('DELETE', '/api/nfts/a')).toMatchObject({ state: 'withdrawn' })
  expect(await send('DELETE', '/api/nfts/a')).toMatchObject({ state: 'withdrawn' })
  expect(await putNft('a', anNftBody(chain))).toMatchObject({ status: 409, code: 'withdrawn' })
  expect(await putNft('c', anNftBody(chain, { amount: 5, publish: true }))).toMatchObject({
    state: 'released',
  })
  expect(await answerOf(call('GET', `/api/public/nfts/${nft.number}`))).toMatchObject({
    code: 'nft_not_found',
  })
})

it('shows and changes only own records', async () => {
  const chain = theChain()
  const owner = await aCreator(chain, { approved: true })
  await owner.putNft('a', anNftBody(chain, { publish: true }))
  const other = await aCreator(chain, { wallet: chain.otherSigner, approved: true })
  expect(await other.send('DELETE', '/api/nfts/a')).toMatchObject({ status: 404 })
  expect(await other.putListing('b', aListingBody('a'))).toMatchObject({
    status: 400,
    code: 'nft_not_found',
  })
  // A record of somebody else has the id that the ref would have.
  await execute(
    'UPDATE nfts SET externalId = ? WHERE creatorId = ?',
    `user-${other.user.id}/a`,
    owner.user.id,
  )
  expect(await other.putNft('a', anNftBody(chain))).toMatchObject({ status: 404 })
  expect(await other.send('GET', '/api/nfts?mine=true')).toMatchObject({ nfts: [] })
})

it('takes 100 new records a day', async () => {
  const chain = theChain()
  const { putNft, user } = await aCreator(chain)
  const today = new Date().toISOString().slice(0, 10)
  await execute(
    'INSERT INTO quotas (name, period, used) VALUES (?, ?, 100)',
    `records:${user.id}`,
    today,
  )
  expect(await putNft('a', anNftBody(chain))).toMatchObject({ status: 429, code: 'rate_limited' })
})

it('sells nothing of it while pieces have left the wallet, and again once they are back', async () => {
  const chain = theChain()
  const { putNft, putListing, bindings } = await aCreator(chain, { approved: true })
  await putNft('a', anNftBody(chain, { amount: 5, publish: true }))
  const { number } = await putListing('b', aListingBody('a'))
  const check = async () => {
    await execute(`UPDATE listings SET checkAt = iif(id = ?, '', '9999')`, number)
    await checkListings(connect(env.DB), readSettings({ ...env, ...bindings }), new Date())
    return (await findRow(listings, number))?.obstacle
  }
  expect(await check()).toBe(null)
  const move = (from: 'seller' | 'owner', to: 'seller' | 'owner') =>
    tokenCalls(
      chain.rpcUrl,
      chain[from],
      chain.contracts.erc1155,
    )('safeTransferFrom', ...([chain[from], chain[to], 1n, 1n, '0x'] as const))
  await move('seller', 'owner')
  expect(await check()).toBe('holder_has_no_token')
  await move('owner', 'seller')
  expect(await check()).toBe(null)
})

it('adds no pieces on Settings → Selling that the wallet does not hold', async () => {
  const chain = theChain()
  const { putNft, putListing, bindings, user } = await aCreator(chain, { approved: true })
  await putNft('a', anNftBody(chain, { amount: 3, publish: true }))
  const { number } = await putListing('b', aListingBody('a'))
  const session = await aSession(user)
  const headers = { cookie: `token=${session}`, 'sec-fetch-site': 'same-origin' }
  const path = `/settings/selling/${number}`
  const change = async (amount: string) => {
    const page = await callWith(bindings, 'GET', path, { headers })
    const body = new URLSearchParams({ ...fieldsIn(await page.text()), amount })
    const { status } = await callWith(bindings, 'POST', path, { headers, body })
    return status
  }
  expect(await change('6')).toBe(409)
  expect(await change('5')).toBe(303)
})
