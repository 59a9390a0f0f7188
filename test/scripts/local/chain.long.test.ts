import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq, inArray, like } from 'drizzle-orm'
import { createTestClient, getAddress, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/local/chain/anvil.ts'
import { checkNode, ensureDelivery, syncCatalogue } from '../../../scripts/local/chain.ts'
import { contractAt } from '../../../scripts/operate/contract/delivery.ts'
import { createNode } from '../../../scripts/operate/contract/node.ts'
import { openLocalDatabase } from '../../../scripts/operate/database/local.ts'
import { CommandError } from '../../../scripts/shell/command.ts'
import { creators, listings, nfts } from '../../../src/db/schema/catalogue.ts'
import { addresses, users } from '../../../src/db/schema/users.ts'
import { aFolder, aLocalDatabase } from '../../support/command.ts'
import { aTemporaryFolder } from '../../support/folder.ts'
import { aFreePort } from '../../support/project.ts'

const file = join(await aTemporaryFolder(), 'delivery')
let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
})

afterAll(() => anvil.stop())

it('lets the Delivery contract mint editions, also after a restart', async () => {
  const project = await aFolder()
  await aLocalDatabase()
  const { db, close } = await openLocalDatabase()
  try {
    const delivery = await ensureDelivery(anvil.url, file)
    expect(await syncCatalogue(db, anvil.url, delivery)).toBe('demo, created')
    expect(await syncCatalogue(db, anvil.url, delivery)).toBe('demo, unchanged')
    const [minted] = await db.select().from(nfts).where(eq(nfts.id, 3))
    expect(minted?.fulfilment).toBe('mint')
    const token = getAddress(minted?.contractAddr ?? '')
    const { read } = contractAt(createNode([anvil.url]), delivery)
    expect(await read.tokenLimit([token])).toMatchObject({ isSet: true, available: 1_000_000n })
  } finally {
    await close()
    await project.remove()
  }
})

it('gives the outcomes of a lost chain new tokens, and adds them to a database without', async () => {
  const project = await aFolder()
  await aLocalDatabase()
  const { db, close } = await openLocalDatabase()
  const chain = createTestClient({ mode: 'anvil', transport: http(anvil.url) })
  const addressOf = async (externalId: string) => {
    const [nft] = await db.select().from(nfts).where(eq(nfts.externalId, externalId))
    return nft?.contractAddr
  }
  try {
    const id = await chain.snapshot()
    await writeFile(file, '')
    await syncCatalogue(db, anvil.url, await ensureDelivery(anvil.url, file))
    const first = await addressOf('outcome-token-not-supported')
    await chain.revert({ id })
    await chain.mine({ blocks: 1 })
    await writeFile(file, '')
    const delivery = await ensureDelivery(anvil.url, file)
    expect(await syncCatalogue(db, anvil.url, delivery)).toMatch(/^demo, moved/)
    expect(await addressOf('outcome-token-not-supported')).toBe(delivery)
    expect(first).toBe(delivery)
    const ids = (await db.select().from(nfts)).map((nft) => nft.id)

    await db.delete(listings).where(like(listings.externalId, 'outcome-%'))
    await db.delete(nfts).where(like(nfts.externalId, 'outcome-%'))
    const added = db.select({ id: users.id }).from(users).where(like(users.externalId, 'outcome-%'))
    await db.delete(addresses).where(inArray(addresses.userId, added))
    await db.delete(creators).where(inArray(creators.userId, added))
    await db.delete(users).where(like(users.externalId, 'outcome-%'))
    expect(await syncCatalogue(db, anvil.url, delivery)).toBe('demo, unchanged')
    expect((await db.select().from(nfts)).map((nft) => nft.id)).toEqual(ids)
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
