/** `npm run import -- --remote` with a running instance. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { anNftRecord, aUserRecord, linesOf } from '../../catalogue/records.ts'
import { aFreePort, aProject, type Project, tokenIn } from '../../support/project.ts'

let project: Project
let proxy: Server
let token: string
/** The first lines of the calls that arrived. */
let calls: number[] = []
/** How many calls are answered before the connection breaks. */
let lives = Infinity

beforeAll(async () => {
  project = await aProject()
  const PORT = await aFreePort()
  const { out } = await project.start('dev', 'Ctrl-C', { PORT, RPC_PORT: await aFreePort() })
  token = tokenIn(out)
  proxy = createServer(async (request, response) => {
    const target = new URL(request.url ?? '', `http://localhost:${PORT}`)
    calls.push(Number(target.searchParams.get('line')))
    if (lives-- <= 0) return request.socket.destroy()
    const body = await text(request)
    const answer = await fetch(target, {
      method: 'POST',
      headers: { authorization: request.headers.authorization ?? '' },
      body,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  }).listen(0)
  const { port } = proxy.address() as AddressInfo
  const file = join(project.folder, 'wrangler.toml')
  const toml = (await readFile(file, 'utf8'))
    .replace('PUBLIC_URL = "https://staging', `PUBLIC_URL = "http://localhost:${port}" # "`)
    .replace('[env.staging.vars.NETWORKS.sepolia]', '[env.staging.vars.NETWORKS.localhost]')
  await writeFile(file, toml)
})

afterAll(async () => {
  proxy.close()
  await project.remove()
})

beforeEach(() => {
  calls = []
  lives = Infinity
})

const run = (...args: string[]) =>
  project.run('import', [...args, '--remote', '--env', 'staging'], { MARKETPLACE_TOKEN: token })

const write = (name: string, records: readonly unknown[]) =>
  writeFile(join(project.folder, name), linesOf(records))

const moons = (prefix: string, count: number) => [
  // A user of the demo, who also has a wallet.
  aUserRecord('cleo'),
  ...Array.from({ length: count - 1 }, (_, i) =>
    anNftRecord(`${prefix}-${i}`, i, { contract: `0x${prefix.padEnd(40, '0')}` }),
  ),
]

it('sends the lines in parts, and commits them with the last', async () => {
  await write('a.jsonl', moons('a', 2500))
  const { out, errors, status } = await run('a.jsonl')
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  expect(out).toMatch(/^NFTs +2499 created, 0 updated, 0 unchanged$/m)
  expect(calls).toEqual([1, 1001, 2001])
})

it('goes on where it broke off, and writes nothing before the end', async () => {
  await write('b.jsonl', moons('b', 4500))
  lives = 3
  const broken = await run('b.jsonl')
  expect(broken.status).toBe(1)
  expect(broken.errors).toMatch(
    /^http:\S+ cannot be reached: .*\. Run the command again to go on\.$/m,
  )
  // The fourth part was sent again and again.
  expect([...new Set(calls)]).toEqual([1, 1001, 2001, 3001])
  await project.run('export', ['between.jsonl'])
  expect(await readFile(join(project.folder, 'between.jsonl'), 'utf8')).not.toContain('"b-1"')

  calls = []
  lives = Infinity
  const { out, errors } = await run('b.jsonl')
  expect(errors).toBe('')
  expect(out).toMatch(/^NFTs +4499 created, 0 updated, 0 unchanged$/m)
  // The first part asks how far the instance is.
  expect(calls).toEqual([1, 3001, 4001])
  expect(existsSync(join(project.folder, 'b.import.json'))).toBe(false)
})

it('commits once if the answer to the last part is lost', async () => {
  await write('c.jsonl', moons('c', 10))
  const { out, errors } = await run('c.jsonl', '--dry-run')
  expect(errors).toBe('')
  expect(out).toMatch(/^NFTs +9 created, 0 updated, 0 unchanged$/m)
  const again = await run('c.jsonl')
  expect(again.out).toMatch(/^NFTs +9 created, 0 updated, 0 unchanged$/m)
})

it('tells problems that only the instance can find', async () => {
  const records = [anNftRecord('d', 1, { creator: 'nobody' })]
  await write('d.jsonl', records)
  const { errors, status } = await run('d.jsonl')
  expect(status).toBe(1)
  expect(errors).toContain('line 1, creator: there is no such user (user_not_found): "nobody"')
  await write('d.jsonl', [aUserRecord('nobody'), ...records])
  expect((await run('d.jsonl')).status).toBe(0)
})

it('sends nothing if a line is wrong', async () => {
  await write('e.jsonl', [{ type: 'nft' }])
  expect((await run('e.jsonl')).errors).toMatch(/^ {2}line 1, id: is required/m)
  expect(calls).toEqual([])
})

it.each([
  ['without an environment', ['x.jsonl', '--remote'], {}, /^--remote needs --env\.$/m],
  [
    'without a token',
    ['x.jsonl', '--remote', '--env', 'staging'],
    {},
    /^MARKETPLACE_TOKEN is not set/,
  ],
  [
    'with a token that is not valid',
    ['a.jsonl', '--remote', '--env', 'staging'],
    { MARKETPLACE_TOKEN: 'nonsense' },
    /^http:\S+ answered: .* \(unauthenticated, request [\w-]+\)$/m,
  ],
] as const)('refuses to start %s', async (_name, args, env, message) => {
  const { errors, status } = await project.run('import', [...args], env)
  expect(status).toBe(1)
  expect(errors).toMatch(message)
})
