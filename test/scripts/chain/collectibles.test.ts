import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localAccount } from '../../../scripts/local/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../../scripts/local/chain/anvil.ts'
import {
  deployCollectibles,
  erc721Abi,
  erc1155Abi,
  hasContracts,
  MINTER_ROLE,
} from '../../../scripts/local/chain/collectibles.ts'

let folder: string
let anvil: Anvil

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chain-'))
  anvil = await startAnvil({ port: 0, statePath: join(folder, 'anvil.json') })
})

afterAll(async () => {
  await anvil.stop()
  await rm(folder, { recursive: true })
})

const seller = localAccount(2)
const operator = localAccount(0).address
const options = { seller, operator, uniques: 2, editions: [{ id: 7n, amount: 1000n }] }

it('mints every token to the seller, whose operator may mint more', async () => {
  const { erc721, erc1155 } = await deployCollectibles(anvil.url, options)
  const chain = createPublicClient({ transport: http(anvil.url) })
  const second = { address: erc721, abi: erc721Abi, functionName: 'ownerOf', args: [1n] } as const
  expect(await chain.readContract(second)).toBe(seller.address)
  const edition = { address: erc1155, abi: erc1155Abi, functionName: 'balanceOf' } as const
  expect(await chain.readContract({ ...edition, args: [seller.address, 7n] })).toBe(1000n)
  const hasRole = { address: erc1155, abi: erc1155Abi, functionName: 'hasRole' } as const
  expect(await chain.readContract({ ...hasRole, args: [MINTER_ROLE, operator] })).toBe(true)
})

it('finds the contracts after the node restarts from its saved state', async () => {
  const contracts = await deployCollectibles(anvil.url, options)
  await anvil.stop()
  anvil = await startAnvil({ port: 0, statePath: join(folder, 'anvil.json') })
  expect(await hasContracts(anvil.url, Object.values(contracts))).toBe(true)
  expect(await hasContracts(anvil.url, [seller.address])).toBe(false)
})

it('throws the error of a node that cannot start', async () => {
  const port = Number(new URL(anvil.url).port)
  await expect(startAnvil({ port })).rejects.toThrow('Address already in use')
})
