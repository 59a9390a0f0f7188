/**
 * Commands that documents name and that no quick test calls: each runs briefly, as a person types it,
 * in a copy of the working tree.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyProject } from '../../scripts/measure/guards/copy.ts'
import { hasChromium } from '../browser/chromium.ts'
import { environment } from '../support/environment.ts'
import { aFreePort } from '../support/project.ts'
import { serve } from '../support/server.ts'

let project: Awaited<ReturnType<typeof copyProject>>
let copy: string

beforeAll(async () => {
  project = await copyProject()
  copy = project.path
  await run('npm run prepare')
}, 120_000)

afterAll(() => project.remove())

/** Runs a line in a shell, and returns what it has printed. Throws if it fails. */
async function run(line: string): Promise<string> {
  const options = { cwd: copy, env: environment(), maxBuffer: 2 ** 26 }
  const failure = (error: { stdout: string; stderr: string }) =>
    Promise.reject(new Error(`${line} failed:\n${error.stdout}\n${error.stderr}`))
  const { stdout } = await promisify(execFile)('sh', ['-c', line], options).catch(failure)
  return stdout
}

/** Starts a line in a shell, waits until it has printed the text, and ends it. */
async function runUntil(line: string, text: string, action: () => Promise<void>): Promise<void> {
  const child = spawn('sh', ['-c', line], { cwd: copy, env: environment(), detached: true })
  const ended = once(child, 'exit')
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  try {
    await expect.poll(() => out, { timeout: 120_000 }).toContain(text)
    await action()
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGINT')
    await ended
  }
}

/** The text of a file of the copy, which a command has written, and of the original. */
async function bothOf(file: string) {
  const [made, original] = await Promise.all(
    [join(copy, file), file].map((path) => readFile(path, 'utf8')),
  )
  return { made, original }
}

const long = { timeout: 600_000 }

describe('what is made from the sources', () => {
  it.each([
    ['npm run openapi', 'docs/openapi.json'],
    ['npm run openapi -- --examples', 'scripts/build/openapi/examples.json'],
    ['npm run contract:compile', 'contracts/Delivery.json'],
    ['npm run types', 'worker-configuration.d.ts'],
  ])('%s makes the same file again', long, async (line, file) => {
    if (line.endsWith('--examples')) await writeFile(join(copy, file), '[]\n')
    else await rm(join(copy, file))
    await run(line)
    const { made, original } = await bothOf(file)
    expect(made).toBe(original)
  })

  it('npm run format formats, and npm run check passes', long, async () => {
    const file = join(copy, 'src/log.ts')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replaceAll('  ', '      '))
    await run('npm run format')
    expect(await readFile(file, 'utf8')).toBe(before)
    await run('npm run check')
  })
})

describe('what searches for mistakes', () => {
  it.each([
    ['FUZZ_SEED=7 FUZZ_RUNS=100 npm run fuzz', 'fuzz: '],
    ['HOSTILE_SEED=7 HOSTILE_STEPS=100 npm run fuzz:hostile', 'hostile: seed 7'],
    ['CHAOS_SEED=7 CHAOS_ITEMS=10 npm run chaos', 'Tests  1 passed'],
    ['LIES_SEED=7 LIES_CASES=2 npm run chaos:lies', 'Tests  2 passed'],
    ['npm run test:guards -- --only access.ts', ' 0 NOT FOUND, 0 LIST ERROR'],
    ["npx vitest run test/orders/place.test.ts -t 'providerId'", ' passed'],
  ])('%s', long, async (line, printed) => {
    expect(await run(line)).toContain(printed)
  })
})

it('npm run bench measures calls', long, async () => {
  const out = await run('npm run bench -- --brief')
  // A response that is no success would end it. How many there are depends on the machine.
  const rows = out.matchAll(/^\| ([\w ]+) \| \d+ \| \d+ \| \d+ \| \d\.\d\d \|/gm)
  expect([...rows].map(([, call]) => call)).toEqual([
    ...['list addresses', 'create an address', 'read an order'],
    ...['place 1 order', 'place 100 orders', 'stats'],
  ])
})

it.skipIf(!hasChromium)('the tests of pages save pictures of them', long, async () => {
  await run(
    'SCREENSHOTS=screenshots npx vitest run --mode long --project instance test/browser/nfts',
  )
  const pictures = await readdir(join(copy, 'screenshots'))
  expect(pictures).toContainEqual(expect.stringMatching(/light-320\.png$/))
})

it('npm install and npx take packages from the files that an instance serves', async () => {
  const url = await serve(async ({ url: path = '' }, response) => {
    response.end(await readFile(join(copy, 'src/pages/assets', path)))
  })
  const [client, checker] = [`${url}/client.tgz`, `${url}/check-my-shop.tgz`]
  await run(`mkdir shop && cd shop && npm init --yes && npm install ${client} ${checker}`)
  expect(await run('cd shop && npx marketplace --help')).toContain('usage: marketplace')
  expect(await run('cd shop && npx check-my-shop --help')).toContain('usage: check-my-shop')
  expect(await run(`npx --yes ${client} --help`)).toContain('usage: marketplace')
  // Options of both are passed on: those of the tool, and the program of the shop.
  await expect(
    run(`npx --yes ${checker} --token secret --secret whsec_c2VjcmV0 -- true`),
  ).rejects.toThrow('--secret is for --shop: a program gets a new one.')
})

describe('without npm run dev', () => {
  it('npx wrangler dev serves the Worker', long, async () => {
    await run('npx wrangler d1 migrations apply DB --local')
    const port = await aFreePort()
    await runUntil(`npx wrangler dev --port ${port}`, 'Ready on', async () => {
      const response = await fetch(`http://localhost:${port}/api/public/stats`)
      expect(response.status).toBe(200)
    })
  })

  it('npx anvil is the chain', async () => {
    const port = await aFreePort()
    const line = `npx anvil --state .wrangler/state/anvil.json --port ${port}`
    await runUntil(line, `Listening on 127.0.0.1:${port}`, async () => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ result: '0x7a69' })
    })
  })
})
