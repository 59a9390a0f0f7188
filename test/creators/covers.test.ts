import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { removeOrphans } from '../../src/avatars/remove.ts'
import { quotas } from '../../src/db/schema/operations.ts'
import { aPng, formatAndSize, quarterColours } from '../avatars/pictures.ts'
import { linesOf } from '../catalogue/records.ts'
import { nft as publicNft } from '../marketplace/public.ts'
import { aShop, sold } from '../orders/shop.ts'
import { answerOf, BASE_URL, call, callWith } from '../support/api.ts'
import { emptyBuckets } from '../support/database.ts'
import { anAdministrator, aSession, db, execute, sellUntried } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

type Creator = Awaited<ReturnType<typeof aCreator>>

const red = aPng({ width: 1600, height: 800, colour: [250, 0, 0] })
const green = aPng({ colour: [0, 250, 0] })
const DAY = 24 * 60 * 60_000

const putCover = ({ bindings, token }: Creator, ref: string, body: BodyInit, by = token) =>
  answerOf<Awaited<ReturnType<Creator['putNft']>>>(
    callWith(bindings, 'PUT', `/api/nfts/${ref}/cover`, { token: by, body }),
  )

/** The colour of a picture and its size, or the status of the answer. */
async function pictureIn(response: Response) {
  if (response.status !== 200) return response.status
  const bytes = new Uint8Array(await response.arrayBuffer())
  const [colour] = await quarterColours(bytes)
  return `${colour} ${await formatAndSize(bytes)}`
}

const art = async ({ number }: { number: number }, size = 'page') =>
  pictureIn(await call('GET', `/nfts/${number}/art/${size}`))

const session = await aSession(await anAdministrator())
const askForCover = ({ number }: { number: number }, headers = {}) =>
  call('GET', `/operations/review/nft/${number}/cover`, {
    headers: { cookie: `token=${session}`, ...headers },
  })
const waitingCover = async (nft: { number: number }) => pictureIn(await askForCover(nft))

const uploads = async () => (await env.AVATARS.list({ prefix: 'uploads/' })).objects

beforeEach(emptyBuckets)

/** A creator with an NFT on sale, whose changes have to be approved. */
async function onSale(values: Record<string, unknown> = {}) {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  const nft = await creator.putNft('sunrise', anNftBody(chain, { ...values, publish: true }))
  await execute('UPDATE users SET approved = 0 WHERE id = ?', creator.user.id)
  return { chain, creator, nft }
}

async function approve({ firstWaiting, decide }: Creator) {
  const proposal = await firstWaiting()
  expect(await decide(proposal, 'approve')).toMatchObject({ status: 200 })
}

it('converts the picture of a draft once, and shows it in both sizes once it is on sale', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const input = vi.spyOn(env.IMAGES, 'input')
  await creator.putNft('sunrise', anNftBody(chain))
  const draft = await putCover(creator, 'sunrise', red)
  expect(draft).toMatchObject({
    status: 200,
    state: 'draft',
    proposal: null,
    record: {
      coverKey: expect.stringMatching(`^uploads/${draft.number}/[0-9a-f]{48}\\.jpg$`),
      metadata: { name: 'Sunrise' },
    },
  })
  expect(input).toHaveBeenCalledTimes(1)
  input.mockRestore()
  expect(await art(draft)).toBe(404)

  // The record is sent without a cover, which stays.
  await creator.putNft('sunrise', anNftBody(chain, { publish: true }))
  expect(await waitingCover(draft)).toBe('red image/jpeg 1200×600')
  await approve(creator)
  expect(await art(draft)).toBe('red image/jpeg 1200×600')
  expect(await art(draft, 'card')).toBe('red image/jpeg 1200×600')
  const { imageUrl } = (await publicNft({ id: draft.number })) ?? {}
  expect(imageUrl).toBe(`${BASE_URL}/nfts/${draft.number}/art/page`)
  expect(await waitingCover(draft)).toBe(404)
})

it('gives what is reviewed a new version with another picture', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  await creator.putNft('sunrise', anNftBody(chain, { publish: true }))
  const seen = await creator.firstWaiting()
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({ state: 'in_review' })
  expect(await creator.decide(seen, 'approve')).toMatchObject({ status: 409, code: 'conflict' })
  await approve(creator)
})

it('keeps the cover of what is on sale until another one is approved', async () => {
  const { creator, chain, nft } = await onSale()
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({
    state: 'released',
    record: { coverKey: null },
    proposal: { state: 'in_review', fields: { coverKey: expect.stringMatching('^uploads/') } },
  })
  expect(await art(nft)).toBe(404)
  expect(await waitingCover(nft)).toBe('red image/jpeg 1200×600')
  await approve(creator)
  expect(await art(nft)).toBe('red image/jpeg 1200×600')

  // A new title waits with the picture, in either order.
  const title = anNftBody(chain, { metadata: { name: 'Dusk' }, publish: true })
  await putCover(creator, 'sunrise', green)
  expect(await creator.putNft('sunrise', title)).toMatchObject({
    proposal: {
      fields: { metadata: { name: 'Dusk' }, coverKey: expect.stringMatching('^uploads/') },
    },
  })
  expect(await putCover(creator, 'sunrise', aPng({ colour: [0, 0, 250] }))).toMatchObject({
    proposal: { fields: { metadata: { name: 'Dusk' } } },
  })
  expect(await art(nft)).toBe('red image/jpeg 1200×600')
  expect(await waitingCover(nft)).toBe('blue image/jpeg 8×8')
  // The cover that it has.
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({
    proposal: { fields: { metadata: { name: 'Dusk' } } },
  })
  expect(await waitingCover(nft)).toBe('red image/jpeg 1200×600')
})

it('does not send again what was rejected', async () => {
  const { creator, chain, nft } = await onSale()
  await putCover(creator, 'sunrise', red)
  const proposal = await creator.firstWaiting()
  await creator.decide(proposal, 'reject', { reason: 'It is not yours.' })
  expect(await waitingCover(nft)).toBe(404)
  const title = anNftBody(chain, { metadata: { name: 'Dusk' }, publish: true })
  expect(await creator.putNft('sunrise', title)).toMatchObject({
    proposal: { state: 'in_review', fields: { metadata: { name: 'Dusk' } } },
  })
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({
    proposal: { state: 'in_review', fields: { coverKey: expect.stringMatching('^uploads/') } },
  })
})

it('changes nothing if a call is repeated', async () => {
  const { creator } = await onSale()
  const first = await putCover(creator, 'sunrise', red)
  const [proposal] = await creator.waiting()
  expect(await putCover(creator, 'sunrise', red)).toEqual(first)
  expect((await creator.waiting())[0]?.version).toBe(proposal?.version)
  expect(await uploads()).toHaveLength(1)
})

it('shows a reviewer the image of the metadata that waits', async () => {
  const { creator, chain, nft } = await onSale()
  const image = `data:image/png;base64,${Buffer.from(green).toString('base64')}`
  const metadata = { name: 'Sunrise', image }
  await creator.putNft('sunrise', anNftBody(chain, { metadata, publish: true }))
  expect(await waitingCover(nft)).toBe('green image/jpeg 8×8')
  expect(await art(nft)).toBe(404)
})

it('takes pictures only, of own records, and of those that are not withdrawn', async () => {
  const { creator } = await onSale()
  const noPicture = { status: 415, code: 'unsupported_media_type' }
  expect(await putCover(creator, 'sunrise', '<svg/>')).toMatchObject(noPicture)
  const other = await aCreator(creator.chain, { wallet: creator.chain.otherSigner })
  expect(await putCover(other, 'sunrise', red)).toMatchObject({ status: 404, code: 'not_found' })
  expect(await putCover(other, 'sunrise', red, creator.token)).toMatchObject({ status: 200 })
  await creator.send('DELETE', '/api/nfts/sunrise')
  expect(await putCover(creator, 'sunrise', green)).toMatchObject({
    status: 409,
    code: 'withdrawn',
  })
  const invited = { ...creator, bindings: { ...creator.bindings, CREATORS: 'invited' as never } }
  expect(await putCover(invited, 'sunrise', green)).toMatchObject({
    status: 403,
    code: 'not_a_creator',
  })
  expect(await uploads()).toHaveLength(1)
})

it('removes the picture again if the record cannot be written', async () => {
  const { creator } = await onSale()
  const put = env.AVATARS.put.bind(env.AVATARS)
  const changed = vi.spyOn(env.AVATARS, 'put').mockImplementationOnce(async (key, value) => {
    const stored = await put(key, value as ArrayBuffer)
    await execute('UPDATE users SET approved = 1 WHERE id = ?', creator.user.id)
    return stored as never
  })
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({ status: 409, code: 'conflict' })
  changed.mockRestore()
  expect(await uploads()).toEqual([])
})

it('takes 20 pictures of a user a day, and half of the conversions of art', async () => {
  const { creator: unlimited } = await onSale()
  const bindings = { ...unlimited.bindings, MAX_ART_PER_DAY: '50' as never }
  const creator = { ...unlimited, bindings }
  const period = new Date().toISOString().slice(0, 10)
  const use = (name: string, used: number) =>
    db
      .insert(quotas)
      .values({ name, period, used })
      .onConflictDoUpdate({ target: [quotas.name, quotas.period], set: { used } })
  await use(`pictures:${creator.user.id}`, 20)
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({
    status: 429,
    code: 'rate_limited',
  })
  await use(`pictures:${creator.user.id}`, 0)
  await use('covers', 25)
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({ status: 503, code: 'try_later' })
  await use('covers', 24)
  await use('art', 50)
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({ status: 503, code: 'try_later' })
  await use('art', 49)
  expect(await putCover(creator, 'sunrise', red)).toMatchObject({ status: 200 })
  const used = await db.select().from(quotas)
  expect(used).toContainEqual({ name: 'art', period, used: 50 })
  expect(used).toContainEqual({ name: 'covers', period, used: 25 })
})

it('shows nothing of others by a key that an import names', async () => {
  const { creator, nft } = await onSale()
  await execute('UPDATE users SET approved = 1 WHERE id = ?', creator.user.id)
  const { record } = await putCover(creator, 'sunrise', red)
  const send = (fields: object) =>
    answerOf(
      callWith(creator.bindings, 'POST', '/api/admin/catalogue', {
        token: creator.master,
        body: linesOf([{ ...record, ...fields }]),
      }),
    )
  // What an export has comes back.
  expect(await send({})).toMatchObject({ status: 200, result: { nft: { unchanged: 1 } } })
  const copy = { id: 'copy', tokenId: '9', heldBySeller: false }
  expect(await send(copy)).toMatchObject({ status: 200, result: { nft: { created: 1 } } })
  const { nfts } = await answerOf<{ nfts: { id: number; imageUrl: string | null }[] }>(
    call('GET', '/api/public/nfts/externalId:copy'),
  )
  expect(nfts).toMatchObject([{ imageUrl: null }])
  expect(await art({ number: nfts[0]?.id ?? 0 })).toBe(404)
  expect(await art(nft)).toBe('red image/jpeg 1200×600')
})

it('removes a picture that no NFT and no proposal names, a day later', async () => {
  const { creator, nft } = await onSale()
  await putCover(creator, 'sunrise', green)
  await approve(creator)
  await putCover(creator, 'sunrise', red)
  const sweep = (days: number) =>
    removeOrphans(env.AVATARS, db, new Date(Date.now() + days * DAY + 60_000))
  expect(await sweep(1)).toBe(0)
  await approve(creator)
  expect(await sweep(0)).toBe(0)
  expect(await sweep(1)).toBe(1)
  expect(await uploads()).toHaveLength(1)
  expect(await art(nft)).toBe('red image/jpeg 1200×600')
})

it.each([
  ['sold', true],
  ['not sold', false],
])('leaves the picture of an NFT of a forgotten creator that was %s: %s', async (_, isSold) => {
  const { creator, nft } = await onSale({ amount: 2 })
  await putCover(creator, 'sunrise', red)
  await approve(creator)
  const listing = await creator.putListing('offer', aListingBody('sunrise'))
  await sellUntried()
  if (isSold) {
    const { token, input } = await aShop()
    const order = { ...input, listingId: listing.number, nftId: nft.number }
    const { item } = await sold(token, order)
    await moveTo(item.id, 'transferred')
  }
  const path = `/api/admin/users/${creator.user.id}/forget`
  expect(await answerOf(call('POST', path, { token: creator.master }))).toMatchObject({
    status: 200,
  })
  await removeOrphans(env.AVATARS, db, new Date(Date.now() + DAY + 60_000))
  expect(await uploads()).toHaveLength(isSold ? 1 : 0)
  expect(await art(nft)).toBe(isSold ? 'red image/jpeg 1200×600' : 404)
})
