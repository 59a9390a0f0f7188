/** `npm run import -- --files --remote`. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { command as importCommand } from '../../scripts/operate/import.ts'
import { anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { call } from '../support/call.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { instance } from '../support/instance/instance.ts'
import { serve } from '../support/server.ts'

/** The files that arrived, in the order of their calls. */
let sent: string[] = []
/** The position of the call whose connection breaks, from 1. */
let broken = 0
/** The number of files before the token is revoked. */
let allowed = Infinity

const proxy = await serve(async (request, response) => {
  const body = request.method === 'GET' ? null : await buffer(request)
  const [, file] = /\/files\/(.*)$/.exec(request.url ?? '') ?? []
  if (file) sent.push(file)
  if (file && sent.length === broken) return request.socket.destroy()
  const isRevoked = file && sent.length > allowed
  const answer = await fetch(new URL(request.url ?? '', instance.url), {
    method: request.method ?? '',
    headers: { authorization: isRevoked ? 'revoked' : (request.headers.authorization ?? '') },
    body,
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
})

const names = Array.from({ length: 9 }, (_, i) => `track ${i + 1}.flac`)

beforeAll(async () => {
  const { remove } = await aFolder()
  await pointStagingAt(proxy)
  await mkdir('album')
  for (const name of names) await writeFile(`album/${name}`, name.repeat(1000))
  return remove
})

beforeEach(() => {
  sent = []
  broken = 0
  allowed = Infinity
})

const run = (...args: string[]) =>
  call(importCommand, [...args, '--remote', '--env', 'staging'], {
    MARKETPLACE_TOKEN: instance.token,
  })

const client = createClient({ url: instance.url, token: instance.token })

const readStates = async (nft: string) =>
  (await client.listContentFiles({ nft })).files.map(({ name, state }) => [name, state])

const album = (id: string, token: number) => [
  aUserRecord('cleo'),
  anNftRecord(id, token, {
    contract: `0x${'f11e'.repeat(10)}`,
    content: { release: 'delivered', files: names.map((name) => ({ name })) },
  }),
]

it('goes on where it broke off, and sends nothing twice', async () => {
  await writeFile('album.jsonl', linesOf(album('album', 1)))
  // Four are sent at a time.
  allowed = 4
  const stopped = await run('album.jsonl', '--files', 'album')
  expect(stopped.status).toBe(1)
  expect(stopped.errors).toMatch(/^http:\S+ answered: .* \(unauthenticated, request \S+\)$/m)
  const left = (await readStates('externalId:album')).filter(([, state]) => state === 'missing')
  expect(left).toHaveLength(5)

  sent = []
  allowed = Infinity
  const { out, errors } = await run('album.jsonl', '--files', 'album')
  expect(errors).toBe('')
  expect(sent.map(decodeURIComponent).toSorted()).toEqual(left.map(([name]) => name))
  expect(out).toMatch(/^Sent 5 files\.$/m)
  expect(await readStates('externalId:album')).toEqual(names.map((name) => [name, 'stored']))
})

it('sends a file again if the connection breaks', async () => {
  await writeFile('single.jsonl', linesOf(album('single', 2)))
  broken = 2
  const { out, errors } = await run('single.jsonl', '--files', 'album')
  expect(errors).toBe('')
  expect(out).toMatch(/^Sent 9 files\.$/m)
  expect(sent).toHaveLength(10)
  const { files } = await client.listContentFiles({ nft: 'externalId:single' })
  expect(files[0]).toEqual({
    name: 'track 1.flac',
    type: 'audio/flac',
    bytes: 12_000,
    sha256: createHash('sha256').update('track 1.flac'.repeat(1000)).digest('hex'),
    state: 'stored',
  })
})
