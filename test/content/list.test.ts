import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { contentFiles } from '../../src/db/schema/content.ts'
import { answerOf, call } from '../support/api.ts'
import {
  aContentFile,
  aMasterToken,
  anNft,
  aUser,
  CONTENT,
  CONTENT_SHA256,
  db,
} from '../support/makers.ts'

let nft: Awaited<ReturnType<typeof anNft>>
beforeEach(async () => {
  await db.delete(contentFiles)
  nft = await anNft(await aUser())
})

const list = async (id: number | string) =>
  answerOf<{ code?: string; files: { name: string; sha256: string; state: string }[] }>(
    call('GET', `/api/admin/nfts/${id}/files`, { token: await aMasterToken() }),
  )

it('lists what the catalogue names, in the order of the record', async () => {
  await aContentFile(nft, { name: 'b.mp3', place: 1 })
  await aContentFile(nft, { name: 'a.mp3', place: 2, state: 'missing' })
  await aContentFile(nft, { name: 'c.mp3', place: 0, state: 'removed' })
  const file = { type: 'audio/mpeg', bytes: CONTENT.length, sha256: CONTENT_SHA256 }
  const files = [
    { name: 'b.mp3', ...file, state: 'stored' },
    { name: 'a.mp3', ...file, state: 'missing' },
  ]
  expect(await list(nft.id)).toEqual({ status: 200, files })
  expect(await list(`externalId:${nft.externalId}`)).toEqual({ status: 200, files })
})

it('shows the next version while its bytes are missing', async () => {
  await aContentFile(nft)
  await aContentFile(nft, { sha256: 'f'.repeat(64), state: 'missing' })
  const { files } = await list(nft.id)
  expect(files.map(({ sha256, state }) => [sha256, state])).toEqual([['f'.repeat(64), 'missing']])
})

it('calls a file missing that the bucket has lost', async () => {
  const { key } = await aContentFile(nft)
  await env.CONTENT.delete(key)
  expect((await list(nft.id)).files).toMatchObject([{ state: 'missing' }])
})

it('knows no files of an NFT without content, and no other NFT', async () => {
  expect(await list(nft.id)).toEqual({ status: 200, files: [] })
  expect(await list('externalId:nobody')).toMatchObject({ status: 404, code: 'not_found' })
})
