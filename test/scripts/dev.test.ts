import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { createPublicClient, http, parseEventLogs, zeroAddress } from 'viem'
import { expect, it, vi } from 'vitest'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import {
  aDevProject,
  descendantsOf,
  FIRST_ORDER,
  isRunning,
  placeOrder,
  READY,
  readItem,
  runExample,
  waitForTransfer,
} from '../support/dev.ts'
import { environment } from '../support/environment.ts'
import { PATIENCE } from '../support/patience.ts'
import { aFreePort, databaseFile, tokenIn } from '../support/project.ts'

const { project, ports } = await aDevProject()

/**
 * Runs the commands of the first order in README.md, and returns the answer of the last one. This
 * process reads the log of the instance meanwhile, which would stand still if nobody did.
 */
async function runReadme() {
  const [, section = ''] =
    /^## Place your first order\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? []
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const [place = '', read = '', receipt = ''] = blocks
  const { PORT, RPC_PORT } = ports
  const placeHere = place.replace('PORT=8787 RPC_PORT=8545', `PORT=${PORT} RPC_PORT=${RPC_PORT}`)
  const wait = `until (${read}) | grep -q transferred; do :; done`
  const script = [placeHere, wait, receipt].join('\n')
  const options = { cwd: project.folder, env: environment() }
  const { stdout } = await promisify(execFile)('sh', ['-c', script], options)
  return JSON.parse(stdout)
}

/** An address as a topic of a log. */
const toTopic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** Sends requests until one is answered. */
const firstAnswer = (path: string) =>
  vi.waitUntil(
    () =>
      fetch(`http://localhost:${ports.PORT}${path}`).then(
        (r) => r.json(),
        () => false,
      ),
    { timeout: PATIENCE, interval: 50 },
  )

it('starts a marketplace whose printed examples lead to a transfer on the chain', async () => {
  const stats = firstAnswer('/api/public/stats')
  const { process, out, waitFor } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, created')
  expect(out).toContain('contract   0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  // The port was closed while there was nothing to answer with.
  // Two of the demo and the outcomes are unlisted.
  expect(await stats).toEqual({
    stats: { nfts: { total: 13, unique: 1, rare: 10, unlimited: 2 } },
  })
  expect(runExample(out)).toMatchObject({
    orders: [{ id: FIRST_ORDER, status: 'paid' }],
    error: null,
  })

  const item = await waitForTransfer(tokenIn(out), ports.PORT)
  const chain = createPublicClient({ transport: http(`http://127.0.0.1:${ports.RPC_PORT}`) })
  const receipt = await chain.getTransactionReceipt({ hash: item.txId })
  // The transaction may have orders of the demo too.
  const transfers = parseEventLogs({ abi: erc1155Abi, logs: receipt.logs }).map(({ args }) => args)
  expect(transfers).toContainEqual(
    expect.objectContaining({ to: localAccount(3).address, id: 2n, value: 1n }),
  )

  // NFT 3 is minted on delivery.
  await placeOrder(tokenIn(out), ports.PORT, {
    nftId: 3,
    listingId: 3,
    quantity: 2,
    buyerUserId: 3,
  })
  const { txId } = await waitForTransfer(tokenIn(out), ports.PORT, FIRST_ORDER + 1)
  const { logs } = await chain.getTransactionReceipt({ hash: txId })
  expect(parseEventLogs({ abi: erc1155Abi, logs })[0]?.args).toMatchObject({
    from: zeroAddress,
    to: localAccount(3).address,
    id: 3n,
    value: 2n,
  })

  // These commands open the database of the running server.
  const { out: token } = await project.run('token', ['--user', '3'])
  expect(await readItem(token.trim(), ports.PORT)).toMatchObject({ status: 'transferred' })
  const exported = await project.run('export', ['--user', '3', 'person.json'])
  expect(exported.out).toContain('Wrote the data of user 3, with 7 orders, to person.json.')

  const { result } = await runReadme()
  const recipient = result.logs[0].topics.at(-1)
  expect([result.status, recipient]).toEqual(['0x1', toTopic(localAccount(3).address)])

  const log = (await waitFor(/GET .* user 3 /)).slice(out.length)
  expect(log).toMatch(
    /^\d\d:\d\d:\d\d {2}POST \/api\/externalOrders {2}200 {2}\d+ ms {2}master \(user 1\) · req \w{8}$/m,
  )
  expect(log).toMatch(/GET \/api\/externalOrders\/7 {2}200 {2}\d+ ms {2}user 3 · req \w{8}$/m)
  expect(log).toMatch(/^\d\d:\d\d:\d\d {2}items_transferred {2}chainId 31337 · items \d+$/m)
  expect(log).not.toContain('{"event"')

  const second = await project.run('dev', [], {
    PORT: await aFreePort(),
    RPC_PORT: await aFreePort(),
  })
  expect(second).toEqual({
    out: '',
    errors: `\`npm run dev\` is already running in this folder (process ${process.pid}, http://localhost:${ports.PORT}). \`kill ${process.pid}\` ends it.\n`,
    status: 1,
  })

  const processes = descendantsOf(process.pid)
  for (const part of ['anvil', 'workerd'])
    expect(processes.some((description) => description.includes(part))).toBe(true)
  process.kill('SIGTERM')
  expect(await once(process, 'close')).toEqual([0, null])
  expect(processes.filter(isRunning)).toEqual([])
})

it('says what to do if its database is of an older version', async () => {
  const database = new DatabaseSync(databaseFile(project.folder))
  database.exec('CREATE TRIGGER old AFTER INSERT ON nfts BEGIN SELECT 1; END')
  database.close()
  const { errors, status } = await project.run('dev', [], ports)
  expect({ errors, status }).toEqual({
    errors:
      'The local database has tables of an older version, which cannot be migrated. Run `npm run dev -- --fresh` to delete its data and create it anew.\n',
    status: 1,
  })
})
