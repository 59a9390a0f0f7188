import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it, vi } from 'vitest'
import { contentFiles } from '../../src/db/schema/content.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { emptyBuckets } from '../support/database.ts'
import {
  anAdministrator,
  aSession,
  CONTENT,
  CONTENT_SHA256,
  db,
  execute,
  sellUntried,
} from '../support/makers.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

type Creator = Awaited<ReturnType<typeof aCreator>>

beforeEach(emptyBuckets)

const track = {
  name: 'track.mp3',
  type: 'audio/mpeg',
  bytes: CONTENT.length,
  sha256: CONTENT_SHA256,
}
const content = (...files: object[]) => ({ content: { release: 'delivered', files } })

const putFile = ({ token }: Creator, { ref = 'song', name = track.name, body = CONTENT } = {}) =>
  answerOf<{ code?: string; missingFiles?: number }>(
    call('PUT', `/api/nfts/${ref}/files/${encodeURIComponent(name)}`, {
      token,
      body,
      headers: { 'content-length': String(body.length) },
    }),
  )

const files = ({ send }: Creator) => send('GET', '/api/nfts/song/files')

it('sells an NFT once its creator has uploaded the files that the record names', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  const body = anNftBody(chain, { ...content(track), publish: true })
  const nft = await creator.putNft('song', body)
  const listing = await creator.putListing('sale', aListingBody('song'))
  await sellUntried()
  const reason = async () => {
    const path = `/api/public/listings/${listing.number}`
    const { listings } = await answerOf<{ listings: { notSellableReason: string | null }[] }>(
      callWith(creator.bindings, 'GET', path),
    )
    return listings[0]?.notSellableReason
  }
  expect(nft).toMatchObject({ state: 'released', record: content(track) })
  expect(await reason()).toBe('content_missing')
  expect(await files(creator)).toEqual({ status: 200, files: [{ ...track, state: 'missing' }] })
  expect(await putFile(creator)).toEqual({
    status: 200,
    ...{ name: 'track.mp3', bytes: 8, sha256: CONTENT_SHA256, missingFiles: 0 },
  })
  expect(await files(creator)).toMatchObject({ files: [{ state: 'stored' }] })
  expect(await reason()).toBe(null)
  // It is nothing that an administrator did.
  expect(await db.select().from(auditLog)).toEqual([])
})

it('approves nothing whose files are missing', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  await creator.putNft('song', anNftBody(chain, { ...content(track), publish: true }))
  const proposal = await creator.firstWaiting()
  expect(await creator.decide(proposal, 'approve')).toMatchObject({ code: 'content_missing' })
  await putFile(creator)
  expect(await creator.decide(proposal, 'approve')).toMatchObject({ status: 200 })
})

it('finds the files of own records only, also if a record changes hands meanwhile', async () => {
  const chain = theChain()
  const owner = await aCreator(chain)
  const nft = await owner.putNft('song', anNftBody(chain, content(track)))
  const other = await aCreator(chain, { wallet: chain.otherSigner })
  expect(await putFile(other)).toMatchObject({ status: 404, code: 'not_found' })
  expect(await files(other)).toMatchObject({ status: 404, code: 'not_found' })
  // A record of somebody else has the id that the ref would have.
  const give = () =>
    execute(
      'UPDATE nfts SET creatorId = ? WHERE externalId = ?',
      other.user.id,
      `user-${owner.user.id}/song`,
    )
  const put = env.CONTENT.put.bind(env.CONTENT)
  const stored = vi.spyOn(env.CONTENT, 'put').mockImplementationOnce(async (key, value) => {
    const object = await put(key, value as ReadableStream)
    await give()
    return object as never
  })
  expect(await putFile(owner)).toMatchObject({ status: 404, code: 'not_found' })
  stored.mockRestore()
  const ofNft = db.select().from(contentFiles).where(eq(contentFiles.nftId, nft.number))
  expect(await ofNft).toMatchObject([{ state: 'missing' }])
  expect(await putFile(owner)).toMatchObject({ status: 404 })
  expect(await files(owner)).toMatchObject({ status: 404 })
})

it('gives the files of what a user lists a tenth of the room of all', async () => {
  const chain = theChain()
  const unlimited = await aCreator(chain)
  const bindings = { ...unlimited.bindings, MAX_CONTENT_BYTES: '1000' as never }
  const put = (ref: string, tokenId: string, bytes: number) =>
    answerOf(
      callWith(bindings, 'PUT', `/api/nfts/${ref}`, {
        token: unlimited.token,
        json: anNftBody(chain, { tokenId, ...content({ ...track, bytes }) }),
      }),
    )
  expect(await put('a', '1', 60)).toMatchObject({ status: 200 })
  const full = { status: 409, code: 'content_full' }
  expect(await put('b', '2', 41)).toMatchObject(full)
  expect(await put('a', '1', 101)).toMatchObject(full)
  expect(await put('b', '2', 40)).toMatchObject({ status: 200 })
})

it('lets administrators load what waits, and nobody else', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const { number } = await creator.putNft(
    'song',
    anNftBody(chain, { ...content(track), publish: true }),
  )
  await putFile(creator)
  const path = `/operations/review/nft/${number}/files/track.mp3`
  const load = async (user: { id: number }) =>
    call('GET', path, { headers: { cookie: `token=${await aSession(user)}` } })
  const loaded = await load(await anAdministrator())
  expect(await loaded.text()).toBe(CONTENT)
  expect(loaded.headers.get('content-disposition')).toMatch(/^attachment;/)
  expect((await load(creator.user)).status).toBe(403)
  const proposal = await creator.firstWaiting()
  await creator.decide(proposal, 'approve')
  expect((await load(await anAdministrator())).status).toBe(404)
})
