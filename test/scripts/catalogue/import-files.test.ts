/** `npm run import -- --files` with the local database and bucket. `test/client` has that of an instance. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLocalDatabase } from '../../../scripts/operate/database/local.ts'
import { command as exportCommand } from '../../../scripts/operate/export.ts'
import { command as importCommand } from '../../../scripts/operate/import.ts'
import { anNftRecord, aUserRecord, linesOf } from '../../catalogue/records.ts'
import { call } from '../../support/call.ts'
import { aFolder, aLocalDatabase } from '../../support/command.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  await aLocalDatabase()
  await mkdir('files/song', { recursive: true })
  await writeFile('files/terms.pdf', 'terms')
  await writeFile('files/take.wav', 'of others')
  await writeFile('files/song/take.wav', 'of the song')
  return remove
})

const importFile = (...args: string[]) => call(importCommand, args)

/** The NFT `id` with files. */
const withFiles = (id: string, token: number, files: object[], release = 'delivered') =>
  anNftRecord(id, token, { content: { release, files } })

/** `printf %s 'of the song' | sha256sum`, and of the others. */
const SONG = 'bd71440db2ad09d681d28519b1c939deb670a46cfea5af242117cb51c9bc4da5'
const OTHERS = '288c651d6fdbbcc0203c6223c0b3c44e03b254fe546cdc81a4502deb1c0f3d3f'

/** Names, states and bytes of all files, in their order. */
async function readStored() {
  const { env, close } = await openLocalDatabase()
  const { results } = await env.DB.prepare(
    `SELECT externalId, name, contentFiles.type, state, key FROM contentFiles
     JOIN nfts ON nfts.id = nftId ORDER BY nftId, place`,
  ).all<Record<'externalId' | 'name' | 'type' | 'state' | 'key', string>>()
  const files = []
  for (const { externalId, name, type, state, key } of results) {
    const object = await env.CONTENT.get(key)
    files.push([externalId, name, type, state, (await object?.text()) ?? null])
  }
  await close()
  return files
}

describe('a catalogue that only names its files', () => {
  const records = [
    aUserRecord('cleo'),
    withFiles('song', 1, [{ name: 'take.wav' }, { name: 'terms.pdf', type: 'text/plain' }]),
    withFiles('drawing', 2, [{ name: 'take.wav' }], 'holder'),
  ]

  it('needs the folder with them', async () => {
    await writeFile('songs.jsonl', linesOf(records))
    const { errors } = await importFile('songs.jsonl')
    expect(errors).toContain('line 2, content.files[0].bytes: is required')
    expect((await importFile('songs.jsonl', '--files', 'nowhere')).errors).toBe(
      'There is no folder nowhere.\n',
    )
  })

  it('sends nothing in a dry run', async () => {
    const { out, errors } = await importFile('songs.jsonl', '--files', 'files', '--dry-run')
    expect(errors).toBe('')
    expect(out).toContain('NFTs      2 created, 0 updated, 0 unchanged\n')
    expect(out).not.toContain('Sent')
  })

  it('gets size, hash and media type from them, first from the folder of the NFT', async () => {
    const { out, errors } = await importFile('songs.jsonl', '--files', 'files')
    expect(errors).toBe('')
    expect(out).toMatch(/^Sent 3 files\.$/m)
    expect(await readStored()).toEqual([
      ['song', 'take.wav', 'audio/wav', 'stored', 'of the song'],
      ['song', 'terms.pdf', 'text/plain', 'stored', 'terms'],
      ['drawing', 'take.wav', 'audio/wav', 'stored', 'of others'],
    ])
  })

  it('is exported with what they are, and imported unchanged', async () => {
    expect((await call(exportCommand, ['copy.jsonl'])).status).toBe(0)
    expect(await readFile('copy.jsonl', 'utf8')).toContain(
      `"content":{"release":"delivered","phrase":null,"codes":false,"files":[{"name":"take.wav","type":"audio/wav","bytes":11,"sha256":"${SONG}"},`,
    )
    const { out, errors } = await importFile('copy.jsonl', '--files', 'files')
    expect(errors).toBe('')
    expect(out).toContain('NFTs      0 created, 0 updated, 2 unchanged\n')
    expect(out).toMatch(/^Sent 0 files\.$/m)
  })
})

it('tells which files are missing, and how to send them', async () => {
  const [bytes, sha256] = [11, SONG]
  const file = { name: 'take.wav', type: 'audio/wav', bytes, sha256 }
  await writeFile('later.jsonl', linesOf([withFiles('song-2', 3, [file])]))
  const { out } = await importFile('later.jsonl')
  expect(out).toMatch(
    /^1 file of these NFTs must be sent before they are sold: npm run import -- later\.jsonl --files FOLDER$/m,
  )
  await mkdir('files/song-2')
  await writeFile('files/song-2/take.wav', 'of the song')
  expect((await importFile('later.jsonl', '--files', 'files')).out).toMatch(/^Sent 1 file\.$/m)
})

it('sends nothing if a file is missing or another one, and tells the lines', async () => {
  const before = await readStored()
  await mkdir('outside')
  await writeFile('outside/key.txt', 'of the operator')
  await writeFile(
    'wrong.jsonl',
    linesOf([
      withFiles('new-1', 11, [{ name: 'terms.pdf' }, { name: 'none.wav' }]),
      withFiles('new-2', 12, [{ name: 'take.wav', bytes: 10, sha256: SONG }]),
      withFiles('../outside', 13, [{ name: 'key.txt' }]),
    ]),
  )
  const { errors, status } = await importFile('wrong.jsonl', '--files', 'files')
  expect(status).toBe(1)
  expect(errors).toMatch(/^Nothing was imported\. 4 problems in 3 lines of wrong\.jsonl:/)
  expect(errors.match(/^ {2}line.*$/gm)).toEqual([
    '  line 1, content.files[1]: there is no file files/none.wav (not_found)',
    '  line 2, content.files[0].bytes: that of files/take.wav is 9 (file_differs)',
    `  line 2, content.files[0].sha256: that of files/take.wav is ${OTHERS} (file_differs)`,
    '  line 3, content.files[0]: there is no file files/key.txt (not_found)',
  ])
  expect(await readStored()).toEqual(before)
})
