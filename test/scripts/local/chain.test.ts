import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { createTestClient, getAddress, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/chain/anvil.ts'
import { contractAt } from '../../../scripts/contract/delivery.ts'
import { createNode } from '../../../scripts/contract/node.ts'
import { openLocalDatabase } from '../../../scripts/database/local.ts'
import { checkNode, ensureDelivery, syncCatalogue } from '../../../scripts/local/chain.ts'
import { CommandError } from '../../../scripts/shell/command.ts'
import { nfts } from '../../../src/db/schema/catalogue.ts'
import { aFolder, aLocalDatabase } from '../../support/command.ts'
import { aFreePort } from '../../support/project.ts'

const FIRST_ADDRESS = '0x0116686E2291dbd5e317F47faDBFb43B599786Ef'

let folder: string
let file: string
let anvil: Anvil

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-chain-'))
  file = join(folder, 'delivery')
  anvil = await startAnvil({ port: 0 })
})

afterAll(async () => {
  await anvil.stop()
  await rm(folder, { recursive: true })
})

it('deploys the Delivery contract once, and again after the chain is lost', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: http(anvil.url) })
  const id = await chain.snapshot()
  expect(await ensureDelivery(anvil.url, file)).toBe(FIRST_ADDRESS)
  expect(await ensureDelivery(anvil.url, file)).toBe(FIRST_ADDRESS)
  await chain.revert({ id })
  expect(await ensureDelivery(anvil.url, file)).toBe(FIRST_ADDRESS)
})

it('gives a new database a contract of its own on a chain that has one', async () => {
  await writeFile(file, '')
  const delivery = await ensureDelivery(anvil.url, file)
  expect(delivery).not.toBe(FIRST_ADDRESS)
  expect(await ensureDelivery(anvil.url, file)).toBe(delivery)
})

it('lets the Delivery contract mint editions, also after a restart', async () => {
  const project = await aFolder()
  await aLocalDatabase()
  const { db, close } = await openLocalDatabase()
  try {
    const delivery = await ensureDelivery(anvil.url, file)
    expect(await syncCatalogue(db, anvil.url, delivery)).toBe('demo, created')
    expect(await syncCatalogue(db, anvil.url, delivery)).toBe('demo, unchanged')
    const minted = await db.select().from(nfts).where(eq(nfts.fulfilment, 'mint'))
    expect(minted.map(({ id }) => id)).toEqual([3])
    const token = getAddress(minted[0]?.contractAddr ?? '')
    const { read } = contractAt(createNode([anvil.url]), delivery)
    expect(await read.tokenLimit([token])).toMatchObject({ isSet: true, available: 1_000_000n })
  } finally {
    await close()
    await project.remove()
  }
})

it('accepts a node of a local chain only', async () => {
  await checkNode(anvil.url)
  const port = await aFreePort()
  await expect(checkNode(`http://127.0.0.1:${port}`)).rejects.toEqual(
    new CommandError(`No EVM node responds at RPC_URL (http://127.0.0.1:${port}).`),
  )
  const mainnet = await startAnvil({ port: 0, args: ['--chain-id', '1'] })
  await expect(checkNode(mainnet.url)).rejects.toEqual(
    new CommandError(
      'The node at RPC_URL has chain id 1. The demo needs a local chain with 31337.',
    ),
  )
  await mainnet.stop()
})
