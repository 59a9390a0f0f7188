import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aFreePort, aProject, type Project } from '../support/project.ts'

const READY = 'Ctrl-C ends everything'

let project: Project
let ports: { PORT: string; RPC_PORT: string }

beforeAll(async () => {
  project = await aProject()
  ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
})

afterAll(() => project.remove())

/** Every process below one, with what it runs. */
function descendantsOf(parent: number | undefined): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const below = (id: string): string[] =>
    rows
      .filter(([, ppid]) => ppid === id)
      .flatMap(([pid = '', , ...args]) => [`${pid} ${args.join(' ')}`, ...below(pid)])
  return below(String(parent))
}

const isRunning = (process: string) => {
  const [pid = ''] = process.split(' ')
  try {
    return execFileSync('ps', ['-p', pid, '-o', 'stat='], { encoding: 'utf8' })[0] !== 'Z'
  } catch {
    return false
  }
}

const tokenIn = (out: string) => /Master token:\n(\S+)/.exec(out)?.[1] ?? ''

it('starts a marketplace that knows its master token, ends it whole, and keeps its state', async () => {
  const first = await project.start('dev', READY, ports)
  expect(first.out).toContain('the demo, new')
  const api = `http://localhost:${ports.PORT}`
  const path = '/api/public/user/3/billingAddresses'
  const authorization = `Bearer ${tokenIn(first.out)}`
  const response = await fetch(api + path, { headers: { authorization } })
  expect(await response.json()).toMatchObject({ billingAddresses: [{ id: 1, city: 'Berlin' }] })

  const byCommand = await project.run('token', ['--user', '3'])
  const own = await fetch(`${api}/api/public/user/me/billingAddresses`, {
    headers: { authorization: byCommand.out.trim() },
  })
  expect(own.status).toBe(200)

  const processes = descendantsOf(first.process.pid)
  expect(processes.some((process) => process.includes('anvil'))).toBe(true)
  expect(processes.some((process) => process.includes('workerd'))).toBe(true)
  first.process.kill('SIGTERM')
  await once(first.process, 'close')
  expect(processes.filter(isRunning)).toEqual([])

  const second = await project.start('dev', READY, ports)
  expect(second.out).toContain('the demo, kept')
  expect(tokenIn(second.out)).toBe(tokenIn(first.out))
  second.process.kill('SIGINT')
  await once(second.process, 'close')
})

it('says in a sentence that a port is taken', async () => {
  const server = createServer().listen(Number(ports.PORT), '127.0.0.1')
  await once(server, 'listening')
  const { errors, status } = await project.run('dev', [], ports)
  server.close()
  expect(status).toBe(1)
  expect(errors).toMatch(new RegExp(`^Port ${ports.PORT} is taken\\. .* PORT=\\d+ npm run dev\n$`))
})

it('says in a sentence that no node answers', async () => {
  const RPC_URL = `http://127.0.0.1:${await aFreePort()}`
  const { errors, status } = await project.run('dev', [], { ...ports, RPC_URL })
  expect({ errors, status }).toEqual({
    errors: `No EVM node answers at RPC_URL (${RPC_URL}).\n`,
    status: 1,
  })
})
