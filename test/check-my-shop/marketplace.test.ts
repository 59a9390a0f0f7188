/** What `check-my-shop` asks a node. */
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { Marketplace } from '../../check-my-shop/src/marketplace.ts'
import { createClient } from '../../client/src/index.ts'
import { serve } from '../support/server.ts'

const goods = {
  ...{ nft: 'nft-1', listing: 'listing-1', nftId: 1, listingId: 1, tokenId: '7' },
  ...{ contract: `0x${'c'.repeat(40)}`, priceCents: 100, currency: 'EUR', available: 1 },
}
const [owner, other] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const word = (hex: string) => `0x${hex.replace('0x', '').padStart(64, '0')}`

/** Asks for the pieces of a wallet, of a node that answers `balanceOf` and `ownerOf` so. */
async function balanceOf(wallet: string, answers: { balanceOf: object; ownerOf: object }) {
  const rpcUrl = await serve(async (request, response) => {
    const isBalance = (await text(request)).includes('0x00fdd58e')
    response.end(JSON.stringify(isBalance ? answers.balanceOf : answers.ownerOf))
  })
  const client = createClient({ url: 'http://localhost:1' })
  return new Marketplace(client, { url: 'http://localhost:1', rpcUrl }).balance(goods, wallet)
}

const reverted = { error: { code: 3, message: 'execution reverted' } }
const limited = { error: { code: -32005, message: 'too many requests' } }

it('reads the pieces of ERC-1155, and the owner of ERC-721', async () => {
  const erc1155 = { balanceOf: { result: word('5') }, ownerOf: reverted }
  expect(await balanceOf(owner, erc1155)).toBe(5)
  const erc721 = { balanceOf: reverted, ownerOf: { result: word(owner) } }
  expect(await balanceOf(owner, erc721)).toBe(1)
  expect(await balanceOf(other, erc721)).toBe(0)
})

it('knows nothing if the node refuses the call', async () => {
  expect(await balanceOf(owner, { balanceOf: limited, ownerOf: limited })).toBe(undefined)
  expect(await balanceOf(owner, { balanceOf: reverted, ownerOf: limited })).toBe(undefined)
})
