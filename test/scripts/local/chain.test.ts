import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/chain/anvil.ts'
import { ensureDelivery } from '../../../scripts/local/chain.ts'

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
