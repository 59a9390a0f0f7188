/** `npm run import -- --remote`. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { command as importCommand } from '../../scripts/operate/import.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { call } from '../support/call.ts'
import { inLong } from '../support/cases.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { instance, query } from '../support/instance/instance.ts'
import { serve } from '../support/server.ts'

/** The first lines of the calls that arrived. */
let calls: number[] = []
/** The calls whose connection breaks, by their position. */
let broken: number[] = []
/** The number of calls before the token is revoked. */
let allowed = Infinity

const proxy = await serve(async (request, response) => {
  const target = new URL(request.url ?? '', instance.url)
  const line = target.searchParams.get('line')
  if (line) calls.push(Number(line))
  if (broken.includes(calls.length)) return request.socket.destroy()
  const authorization = calls.length > allowed ? 'revoked' : request.headers.authorization
  const answer = await fetch(target, {
    method: 'POST',
    headers: { authorization: authorization ?? '' },
    body: await text(request),
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
})

beforeAll(async () => {
  const { remove } = await aFolder()
  await pointStagingAt(proxy)
  return remove
})

beforeEach(() => {
  calls = []
  broken = []
  allowed = Infinity
})

const run = (...args: string[]) =>
  call(importCommand, [...args, '--remote', '--env', 'staging'], {
    MARKETPLACE_TOKEN: instance.token,
  })

const write = (name: string, records: readonly unknown[]) => writeFile(name, linesOf(records))

const moons = (prefix: string, count: number) => [
  // A user of the demo, who also has a wallet.
  aUserRecord('cleo'),
  ...Array.from({ length: count - 1 }, (_, i) =>
    anNftRecord(`${prefix}-${i}`, i, { contract: `0x${prefix.padEnd(40, '0')}` }),
  ),
]

it('sends a part again if the connection breaks, and writes the numbers of all records', async () => {
  const draft = anNftRecord('g-draft', 2, { contract: `0x${'e'.repeat(40)}`, status: 'draft' })
  await write('g.jsonl', [...moons('ab', 1001), draft, aListingRecord('g-sale', 'ab-1')])
  broken = [2]
  const { out, errors } = await run('g.jsonl')
  expect(errors).toBe('')
  expect(calls).toEqual([1, 1001, 1001])
  expect(out).toMatch(/^NFTs +1001 created, 0 updated, 0 unchanged$/m)
  expect(out).toMatch(/^g\.ids\.jsonl has the numbers of these records in the API\./m)
  const lines = (await readFile('g.ids.jsonl', 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(1003)
  const numberOf = async (table: string, id: string) => {
    const [row] = await query(`SELECT id FROM ${table} WHERE externalId = ?`, id)
    return Object(row).id
  }
  expect([lines[0], ...lines.slice(-2)].map((line) => JSON.parse(line ?? ''))).toEqual([
    { type: 'user', id: 'cleo', number: await numberOf('users', 'cleo') },
    { type: 'nft', id: 'g-draft', number: await numberOf('nfts', 'g-draft') },
    { type: 'listing', id: 'g-sale', number: await numberOf('listings', 'g-sale') },
  ])
})

inLong('goes on where it broke off, and writes nothing before the end', async () => {
  await write('b.jsonl', moons('b', 2100))
  allowed = 2
  const stopped = await run('b.jsonl')
  expect(stopped.status).toBe(1)
  expect(stopped.errors).toMatch(/^http:\S+ answered: .* \(unauthenticated, request \S+\)$/m)
  expect(calls).toEqual([1, 1001, 2001])
  expect(await query('SELECT id FROM nfts WHERE externalId = ?', 'b-1')).toEqual([])

  calls = []
  allowed = Infinity
  const { out, errors } = await run('b.jsonl')
  expect(errors).toBe('')
  expect(out).toMatch(/^NFTs +2099 created, 0 updated, 0 unchanged$/m)
  // The first part asks how far the instance is.
  expect(calls).toEqual([1, 2001])
  expect(existsSync('b.import.json')).toBe(false)
})

it('tells problems that only the instance can find', async () => {
  const records = [anNftRecord('d', 1, { creator: 'nobody' })]
  await write('d.jsonl', records)
  const { errors, status } = await run('d.jsonl')
  expect(status).toBe(1)
  expect(errors).toContain(
    'line 1, creator: there is no such user: add a record of it (user_not_found): "nobody"',
  )
  await write('d.jsonl', [aUserRecord('nobody'), ...records])
  expect((await run('d.jsonl')).status).toBe(0)
})
