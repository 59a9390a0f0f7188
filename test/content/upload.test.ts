import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it, vi } from 'vitest'
import { sweepFiles } from '../../src/content/sweep.ts'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { contentFiles, contentStorage } from '../../src/db/schema/content.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { racingDatabase } from '../openapi/databases.ts'
import { codesOf } from '../orders/shop.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { emptyBuckets } from '../support/database.ts'
import {
  aContentFile,
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aUser,
  db,
  sellUntried,
} from '../support/makers.ts'

const track = { name: 'track 1.mp3', type: 'audio/mpeg', bytes: 5, sha256: '' }
const [first, second] = ['first', 'other']
const hashes: Record<string, string> = {}

const hashOf = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex')

let token: string
beforeEach(async () => {
  for (const table of [contentFiles, contentStorage, listings, nfts, auditLog])
    await db.delete(table)
  await emptyBuckets()
  await db.delete(users).catch(() => {})
  token = await aMasterToken()
  for (const text of [first, second]) hashes[text] = await hashOf(text)
})

const file = (text: string, fields = {}) => ({ ...track, sha256: hashes[text], ...fields })

const importing = (files: readonly object[] | null, fields = {}, bindings = {}) =>
  answerOf<{ result: { nft: object }; issues: { path: string; code: string; message: string }[] }>(
    callWith(bindings, 'POST', '/api/admin/catalogue', {
      token,
      body: linesOf([
        aUserRecord('cleo'),
        anNftRecord('song', 1, {
          content: files && { release: 'delivered', phrase: null, files },
          ...fields,
        }),
        aListingRecord('sale', 'song'),
      ]),
    }),
  )

const put = (text: string, name = track.name, headers = {}) =>
  call('PUT', `/api/admin/nfts/externalId:song/files/${encodeURIComponent(name)}`, {
    token,
    body: text,
    headers: { 'content-length': String(text.length), ...headers },
  })

const states = async () =>
  (await db.select().from(contentFiles).orderBy(contentFiles.changedAt)).map(
    ({ name, sha256, state }) => `${name} ${sha256 === hashes[first] ? first : second} ${state}`,
  )

const reason = async () => {
  await sellUntried()
  const { nfts } = await answerOf<{ nfts: { notSellableReason: string | null }[] }>(
    call('GET', '/api/public/nfts/externalId:song'),
  )
  return nfts[0]?.notSellableReason
}

it('sells an NFT once all of its files are stored', async () => {
  await importing([file(first), file(second, { name: 'b.zip', type: 'application/zip' })])
  expect(await reason()).toBe('content_missing')
  const [nft] = await db.select().from(nfts)
  const check = () =>
    answerOf(
      call('POST', '/api/externalOrders/check', {
        token,
        json: [{ nft: 'song', listing: 'sale', quantity: 1, buyer: { email: 'bo@example.com' } }],
      }),
    )
  expect(await check()).toMatchObject({
    code: 'content_missing',
    error: 'orders[0].nft: NFT "song": 2 of its files are not stored yet',
  })
  expect(await answerOf(put(first))).toMatchObject({ name: track.name, missingFiles: 1 })
  expect(await reason()).toBe('content_missing')
  expect(await answerOf(put(second, 'b.zip'))).toMatchObject({ missingFiles: 0 })
  expect(await reason()).toBe(null)
  const [sold] = await db.select().from(nfts)
  expect(sold?.changedAt).not.toBe(nft?.changedAt)
  const actions = await db.select().from(auditLog).where(eq(auditLog.action, 'content.store'))
  expect(actions.map(({ details }) => Object(details).name)).toEqual([track.name, 'b.zip'])
})

it('takes the files of every id and name that a record may have', async () => {
  const [id, name] = ['\u{1F3B5}'.repeat(200), '100% %2F ?#é\u{1F3B5}.mp3']
  const record = anNftRecord(id, 1, {
    content: { release: 'delivered', files: [file(first, { name })] },
  })
  const body = linesOf([aUserRecord('cleo'), record])
  await call('POST', '/api/admin/catalogue', { token, body })
  const files = `/api/admin/nfts/externalId:${encodeURIComponent(id)}/files`
  const headers = { 'content-length': '5' }
  const put = call('PUT', `${files}/${encodeURIComponent(name)}`, { token, body: first, headers })
  expect(await answerOf(put)).toMatchObject({ name, missingFiles: 0 })
  expect(await answerOf(call('GET', files, { token }))).toMatchObject({
    files: [{ name, state: 'stored' }],
  })
})

it('stores a file again under the same key, and counts it once', async () => {
  await importing([file(first)])
  for (const _ of [1, 2]) expect(await answerOf(put(first))).toMatchObject({ status: 200 })
  const { objects } = await env.CONTENT.list()
  expect(objects).toHaveLength(1)
  expect(await db.select().from(contentStorage)).toEqual([{ id: 1, bytes: 5 }])
})

it('refuses other bytes than the catalogue names, and stores nothing of them', async () => {
  await importing([file(first)])
  const differs = `the catalogue names a file of 5 bytes with the SHA-256 ${hashes[first]}`
  expect(await answerOf(put('longer'))).toMatchObject({
    status: 400,
    code: 'file_differs',
    error: `the body has 6 bytes: ${differs}`,
  })
  expect(await answerOf(put(second))).toMatchObject({
    status: 400,
    code: 'file_differs',
    error: `the bytes have another hash: ${differs}`,
  })
  expect(await answerOf(put('four', track.name, { 'content-length': '5' }))).toMatchObject({
    status: 400,
    code: 'invalid_input',
  })
  expect((await env.CONTENT.list()).objects).toEqual([])
  expect(await states()).toEqual([`track 1.mp3 ${first} missing`])
})

it('refuses a file that the catalogue does not name, one without a length, and one that is too large', async () => {
  await importing([file(first)])
  expect(await answerOf(put(first, 'other.mp3'))).toMatchObject({ status: 404 })
  expect(await answerOf(call('GET', '/api/admin/nfts/song/files', { token }))).toMatchObject({
    status: 400,
    error: 'nft: must be a number, or `externalId:` and an id',
  })
  const path = `/api/admin/nfts/externalId:song/files/${track.name}`
  const body = new ReadableStream({ start: (controller) => controller.close() })
  expect(await answerOf(call('PUT', path, { token, body }))).toMatchObject({
    status: 411,
    code: 'length_required',
  })
  const huge = { 'content-length': String(95 * 1024 * 1024 + 1) }
  expect(await answerOf(put(first, track.name, huge))).toMatchObject({ status: 413 })
})

it('gives people the stored version until the bytes of the next one are there', async () => {
  await importing([file(first)])
  await put(first)
  await importing([file(second)])
  expect((await states()).toSorted()).toEqual([
    `track 1.mp3 ${first} stored`,
    `track 1.mp3 ${second} missing`,
  ])
  expect(await reason()).toBe('content_missing')
  expect(await answerOf(put(second))).toMatchObject({ status: 200, missingFiles: 0 })
  expect((await states()).toSorted()).toEqual([
    `track 1.mp3 ${first} removed`,
    `track 1.mp3 ${second} stored`,
  ])
})

it('keeps a stored file whose record is as before', async () => {
  await importing([file(first)])
  await put(first)
  expect(await importing([file(first)])).toMatchObject({ result: { nft: { unchanged: 1 } } })
  // Another version that is withdrawn before its bytes came.
  await importing([file(second)])
  expect(await importing([file(first)])).toMatchObject({ result: { nft: { updated: 1 } } })
  expect(await reason()).toBe(null)
  expect((await states()).toSorted()).toEqual([
    `track 1.mp3 ${first} stored`,
    `track 1.mp3 ${second} removed`,
  ])
})

it('deletes what the catalogue names no more, a day later', async () => {
  await importing([file(first)])
  await put(first)
  await importing(null)
  const sweep = (hours: number) =>
    sweepFiles(env.CONTENT, db, new Date(Date.now() + hours * 3_600_000))
  await sweep(23)
  expect((await env.CONTENT.list()).objects).toHaveLength(1)
  // The row is there until the object is gone.
  vi.spyOn(env.CONTENT, 'delete').mockRejectedValueOnce(new Error('R2 is unavailable'))
  await expect(sweep(25)).rejects.toThrow('unavailable')
  expect(await states()).toEqual([`track 1.mp3 ${first} removed`])
  await sweep(25)
  expect((await env.CONTENT.list()).objects).toEqual([])
  expect(await db.select().from(contentFiles)).toEqual([])
  expect(await db.select().from(contentStorage)).toEqual([{ id: 1, bytes: 0 }])
})

it('refuses files of an upload whose record was withdrawn meanwhile', async () => {
  await importing([file(first)])
  const original = env.CONTENT.put.bind(env.CONTENT)
  vi.spyOn(env.CONTENT, 'put').mockImplementationOnce(async (...args) => {
    const stored = await original(...args)
    await importing(null)
    return stored as never
  })
  expect(await answerOf(put(first))).toMatchObject({ status: 409, code: 'conflict' })
  expect(await states()).toEqual([`track 1.mp3 ${first} removed`])
})

it('refuses an import whose files would exceed MAX_CONTENT_BYTES', async () => {
  const bindings = { MAX_CONTENT_BYTES: '9' }
  const files = [file(first), file(second, { name: 'b' })]
  expect(await importing(files, {}, bindings)).toMatchObject({ status: 409, code: 'content_full' })
  expect(await db.select().from(contentFiles)).toEqual([])
  expect(await importing(files.slice(1), {}, bindings)).toMatchObject({ status: 200 })
})

it('names what is wrong with the content of a record', async () => {
  const problems = async (content: unknown, fields = {}) =>
    codesOf(await importing(null, { content, ...fields }))
  const content = { release: 'delivered', files: [file(first)] }
  expect(await problems({ ...content, release: 'nobody' })).toEqual([
    'lines[2].content.release invalid_input',
  ])
  expect(await problems({ release: 'holder' })).toEqual(['lines[2].content.files invalid_input'])
  expect(await problems({ ...content, files: [file(first), file(second)] })).toEqual([
    'lines[2].content.files invalid_input',
  ])
  for (const name of ['a/b', '..', 'a\u202eb', '', 'x'.repeat(101)])
    expect(await problems({ ...content, files: [file(first, { name })] }), name).toHaveLength(1)
  const phrase = { content: { ...content, phrase: 'open sesame' }, payload: { secretPhrase: 'x' } }
  expect(await problems(phrase.content, phrase)).toEqual([
    'lines[2].payload.secretPhrase invalid_input',
  ])
})

it('is not sold by a call that was checked before a file went missing', async () => {
  const nft = await anNft(await aUser())
  const buyer = await aUser()
  await anAddress(buyer)
  const listing = await aListing(nft)
  const change = () => aContentFile(nft, { state: 'missing' })
  const DB = racingDatabase(change)
  const json = [{ nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }]
  expect(
    await answerOf(callWith({ DB }, 'POST', '/api/externalOrders', { token, json })),
  ).toMatchObject({ status: 400, code: 'content_missing' })
})
