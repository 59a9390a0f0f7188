/**
 * An upgrade from the last release: its database, filled by its own demo, is migrated; the old
 * and the new Worker serve it side by side; then the old one serves it alone, as after a rollback.
 * Before the first release, the last commit takes its place.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type LocalWorker, startWorker } from '../../scripts/local/worker.ts'
import { FIRST_ORDER, READY, waitForTransfer } from '../support/dev.ts'
import { aFreePort, aProject, type Project } from '../support/project.ts'

/** The files of the last release, with the modules that it was made for. */
let files: string
let release: Project
let current: Project

const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 2 ** 30 })

/** The newest tag before this commit, which may have one itself. */
function lastRelease(): string {
  const earlier = ['--merged', 'HEAD', '--no-contains', 'HEAD']
  const tags = git('tag', '--list', 'v*', ...earlier, '--sort=-v:refname').toString()
  return tags.split('\n')[0] || 'HEAD'
}

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'release-'))
  execFileSync('tar', ['-x', '-C', files], { input: git('archive', lastRelease()) })
  const lock = await readFile(join(files, 'package-lock.json'), 'utf8')
  if (lock === (await readFile('package-lock.json', 'utf8')))
    await symlink(resolve('node_modules'), join(files, 'node_modules'))
  else execFileSync('npm', ['ci'], { cwd: files })
  release = await aProject(files)
  current = await aProject()
}, 300_000)

afterAll(async () => {
  await current.remove()
  await release.remove()
  await rm(files, { recursive: true })
})

/** Starts the Worker of a project. */
function serve({ folder }: Project, PUBLIC_URL: string): LocalWorker {
  const root = process.cwd()
  process.chdir(folder)
  const worker = startWorker({ PUBLIC_URL })
  process.chdir(root)
  onTestFinished(() => worker.stop())
  return worker
}

type Orders = { orders: { id: number; status: string }[] | null; error: string | null }

it('serves the database of the last release, side by side with it and after a rollback', async () => {
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const url = `http://localhost:${ports.PORT}`
  const { process } = await release.start('dev', READY, ports)
  // The token that `npm run dev` prints lists only the orders of its shop.
  const token = (await release.run('token', ['--master'])).out.trim()
  const send = async (base: string, orders?: object[]): Promise<Orders> => {
    for (;;) {
      const response = await fetch(`${base}/api/externalOrders`, {
        method: orders ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(orders && { body: JSON.stringify(orders) }),
      })
      const answer: Orders = await response.json()
      // Two processes share a local database: while one writes, the other gets `try_later`.
      if (response.status !== 503) return answer
    }
  }
  const order = (providerId: string) => [
    { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3, providerId },
  ]
  const place = async (base: string, providerId: string) => {
    const { orders, error } = await send(base, order(providerId))
    expect({ error, status: orders?.[0]?.status }).toEqual({ error: null, status: 'paid' })
    return orders?.[0]?.id ?? 0
  }
  const newest = async (base: string) => (await send(base)).orders?.[0]?.id
  await waitForTransfer(token, ports.PORT, await place(url, 'before'))
  process.kill('SIGINT')
  await once(process, 'close')

  // The new version migrates the database that the old one has left.
  for (const name of ['.wrangler', '.dev.vars'])
    await symlink(join(release.folder, name), join(current.folder, name))
  const migrate = ['wrangler', 'd1', 'migrations', 'apply', 'DB', '--local']
  execFileSync('npx', migrate, { cwd: current.folder, stdio: 'pipe' })

  const [before, after] = [serve(release, url), serve(current, url)]
  const [oldUrl, newUrl] = [await before.ready, await after.ready]
  for (const base of [oldUrl, newUrl]) {
    expect(await (await fetch(`${base}/health`)).json()).toEqual({ status: 'ok' })
    expect((await send(base)).orders).toHaveLength(FIRST_ORDER)
  }
  const fromNew = await place(newUrl, 'new')
  expect(await newest(oldUrl)).toBe(fromNew)
  const fromOld = await place(oldUrl, 'old')
  expect(await newest(newUrl)).toBe(fromOld)
  // What the one has placed, the other does not place again.
  expect(await send(oldUrl, order('new'))).toMatchObject({ orders: null })
  expect(await send(newUrl, order('old'))).toMatchObject({ orders: null })

  await after.stop()
  const afterRollback = await place(oldUrl, 'after the rollback')
  expect(await newest(oldUrl)).toBe(afterRollback)
})
