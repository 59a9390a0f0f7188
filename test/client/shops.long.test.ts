/**
 * Two shops that were written from the guides are killed at ten points of 200 sales, drawn by chance.
 * In the end their books are those of the API and of the chain.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createPublicClient, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { aDice, type Dice } from '../support/delivery/campaign/dice.ts'
import { aPerson, instance, query } from '../support/instance/instance.ts'

const SALES = 200
const KILLS = 10
/** Pieces of the NFT that sells out. */
const FEW = 8

const shops = [
  { language: 'ts', command: [process.execPath, 'test/client/shops/shop.ts'], seed: 1 },
  { language: 'py', command: ['python3', 'test/client/shops/shop.py'], seed: 2 },
].filter(({ command }) => spawnSync(command[0] ?? '', ['--version']).status === 0)

type Entry = { number?: string; step: string; orderId?: number; status?: string; code?: string }

const aWallet = (): Hex => privateKeyToAddress(generatePrivateKey())

/** Adds an NFT of the demo's token 2, of which the demo's seller holds a million, and its listing. */
async function onSale(name: string, amount: number): Promise<{ nft: string; listing: string }> {
  const columns = `creatorPublicAddr, contractAddr, contractName, contractNetwork, payload, price,
    priceEths, priceCurrency, title, creatorId, tokenId, status, releaseAt, createdAt, updatedAt,
    changedAt`
  await query(
    `INSERT INTO nfts (externalId, amount, availableAmount, ${columns})
      SELECT ?1, ?2, ?2, ${columns} FROM nfts WHERE id = 2`,
    name,
    String(amount),
  )
  const terms = `type, active, priceEths, priceWei, priceCurrency, sellerId, createdAt, updatedAt`
  await query(
    `INSERT INTO listings (externalId, nftId, priceCents, ${terms})
      SELECT ?1, (SELECT id FROM nfts WHERE externalId = ?1), 500, ${terms}
      FROM listings WHERE id = 2`,
    name,
  )
  return { nft: name, listing: name }
}

/** What the shop sells, with the wallets in which pieces are to arrive. */
async function drawSales(language: string, dice: Dice) {
  const [plain, moving, few] = [
    await onSale(`plain-${language}`, 1000),
    await onSale(`moving-${language}`, 1000),
    await onSale(`few-${language}`, FEW),
  ]
  const wallets = [aWallet(), aWallet()]
  const people = await Promise.all(wallets.map((wallet) => aPerson(wallet)))
  const sales = Array.from({ length: SALES }, (_, i) => {
    const draw = dice.upTo(10)
    const wallet = draw < 3 ? aWallet() : undefined
    if (wallet) wallets.push(wallet)
    const buyer =
      draw < 3
        ? { wallet }
        : draw < 5
          ? { email: `guest-${language}-${i % 7}@example.com` }
          : { userId: people[i % people.length] }
    const goods = dice.pick(plain, plain, moving, few)
    const number = `${language}-${i}`
    const price = { priceCents: 500, currency: 'EUR' }
    return { number, ...goods, ...price, buyer, isCancelled: dice.chance(0.15) }
  })
  return { sales, wallets }
}

/** Runs the shop until it is done, or until it has printed so many lines. Returns what it printed. */
async function runShop(
  command: readonly string[],
  folder: string,
  lines: number,
  onLine: () => void,
) {
  const [program = '', ...args] = command
  const env = { ...process.env, URL: instance.url, TOKEN: instance.token, FOLDER: folder }
  const shop = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(shop, 'exit')
  let last = ''
  let left = lines
  for await (const line of createInterface(shop.stdout)) {
    last = line
    onLine()
    if (--left === 0) shop.kill('SIGKILL')
  }
  const [code] = await exit
  return { isDone: last === 'done', isKilled: code === null }
}

it.each(shops)('a shop is killed ten times ($language)', { timeout: 400_000 }, async (shop) => {
  const { language, command, seed } = shop
  const dice = aDice(seed)
  const folder = await mkdtemp(join(tmpdir(), 'shop-'))
  const { sales, wallets } = await drawSales(language, dice)
  await writeFile(join(folder, 'sales.json'), JSON.stringify(sales))
  let lines = 0
  const raisePrice = async () => {
    // In the middle of the sales.
    if (++lines === SALES)
      await query(`UPDATE listings SET priceCents = 900 WHERE externalId = 'moving-${language}'`)
  }
  for (let kills = 0; kills < KILLS; kills++) {
    const until = 1 + dice.upTo(100)
    expect(await runShop(command, folder, until, raisePrice)).toMatchObject({ isKilled: true })
  }
  expect(await runShop(command, folder, Infinity, raisePrice)).toMatchObject({ isDone: true })

  const text = await readFile(join(folder, 'books.jsonl'), 'utf8')
  const books: Entry[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const ordered = new Map<string, { orderId: number; status: string }>()
  for (const { number = '', step, orderId = 0, status = '' } of books) {
    if (step === 'ordered') ordered.set(number, { orderId, status: '' })
    const order = ordered.get(number)
    if (step === 'ended' && order) order.status = status
  }
  const codes = books.flatMap(({ code }) => code ?? [])
  expect(codes).toContain('sold_out')
  expect(codes).toContain('price_changed')

  const atApi = new Map<string, { orderId: number; status: string }>()
  const statuses: Record<string, string> = { transferred: 'delivered', failed: 'cancelled' }
  const pages = createClient(instance).pages('listOrders', { fields: 'summary', limit: 100 })
  for await (const { orders } of pages)
    for (const { id, providerId, status } of orders)
      if (providerId?.startsWith(`${language}-`))
        atApi.set(providerId, { orderId: id, status: statuses[status ?? ''] ?? String(status) })
  expect(Object.fromEntries(ordered)).toEqual(Object.fromEntries([...atApi].reverse()))

  const chain = createPublicClient({ transport: http(instance.rpcUrl) })
  const [{ contract } = { contract: '0x' as Hex }] = await query<{ contract: Hex }>(
    'SELECT contractAddr AS contract FROM nfts WHERE id = 2',
  )
  const balances = await Promise.all(
    wallets.map((wallet) =>
      chain.readContract({
        address: contract,
        abi: parseAbi(['function balanceOf(address, uint256) view returns (uint256)']),
        functionName: 'balanceOf',
        args: [wallet, 2n],
      }),
    ),
  )
  const delivered = [...ordered.values()].filter(({ status }) => status === 'delivered').length
  expect(balances.reduce((sum, balance) => sum + Number(balance), 0)).toBe(delivered)

  const [stock] = await query<{ left: number; held: number }>(
    `SELECT sum(amount - availableAmount) AS left, (SELECT coalesce(sum(quantity), 0) FROM reservations
       WHERE nftId IN (SELECT id FROM nfts WHERE externalId LIKE '%-${language}')) AS held
     FROM nfts WHERE externalId LIKE '%-${language}'`,
  )
  const sold = [...ordered.values()].filter(({ status }) => status !== 'cancelled').length
  expect(stock).toEqual({ left: sold, held: 0 })
  await rm(folder, { recursive: true })
})
