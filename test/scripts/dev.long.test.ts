import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createWalletClient, http } from 'viem'
import { expect, it } from 'vitest'
import { deliveryOwner } from '../../scripts/local/catalogue/demo.ts'
import { startAnvil } from '../../scripts/local/chain/anvil.ts'
import { aDevProject, FIRST_ORDER, READY, runExample, waitForTransfer } from '../support/dev.ts'
import { PATIENCE } from '../support/patience.ts'
import { tokenIn } from '../support/project.ts'
import { serve } from '../support/server.ts'

const { project, ports } = await aDevProject()

const moving = { timeout: 6 * PATIENCE }

it('moves to other nodes, also if the contract gets another address there', moving, async () => {
  const first = await project.start('dev', READY, ports)
  first.process.kill('SIGINT')
  await once(first.process, 'close')
  const anvil = await startAnvil({ port: 0 })
  const rpcUrl = anvil.url
  let asked = 0
  // Another way to the same chain.
  const second = await serve(async (incoming, outgoing) => {
    asked++
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: await text(incoming) })
    outgoing.writeHead(answer.status, headers).end(await answer.text())
  })
  const sender = createWalletClient({ account: deliveryOwner, transport: http(rpcUrl) })
  await sender.sendTransaction({ to: deliveryOwner.address, chain: null })

  const { process, out } = await project.start('dev', READY, {
    ...ports,
    RPC_URL: `${rpcUrl}, ${second}`,
  })
  expect(out).toContain(`external node on ${rpcUrl}, ${second}\n`)
  expect(out).toContain('demo, moved to a new chain because the old one is gone')
  expect(out).not.toContain('0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  expect(runExample(out)).toMatchObject({ orders: [{ id: FIRST_ORDER }] })
  asked = 0
  await waitForTransfer(tokenIn(out), ports.PORT)
  expect(asked).toBeGreaterThan(0)
  process.kill('SIGINT')
  await once(process, 'close')
  await anvil.stop()
})

it('ends everything with the reason if the Worker does not start', async () => {
  await writeFile(join(project.folder, 'broken.json'), 'const')
  const toml = join(project.folder, 'wrangler.toml')
  const settings = await readFile(toml, 'utf8')
  await writeFile(toml, settings.replace('minify = true', 'tsconfig = "broken.json"'))
  const { errors, status } = await project.run('dev', [], ports)
  await writeFile(toml, settings)
  expect(status).toBe(1)
  expect(errors).toMatch(/^The Worker exited \(1\)\. Stopping everything\.\n.*Build failed/)
  expect(errors).toContain('broken.json:1:0')
  expect(errors).not.toContain('env.DB')
})
