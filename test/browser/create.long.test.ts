/** A creator in a browser: from a wallet without an account, over a review, to an NFT that a buyer has. */
import { type Address, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seller } from '../../scripts/local/catalogue/demo.ts'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import { PATIENCE } from '../support/patience.ts'
import { expectAccessible } from './accessibility.ts'
import { installWallet, piecesOf, placeOrder, tryWallet, waitForSignIn } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

/** An account that the node knows, and nobody of the demo. */
const creator = localAccount(9)
const TOKEN_ID = '900'

type Offer = { id: number; nft: { id: number }; sellable: boolean }

describe.skipIf(!hasChromium)('a creator in a browser', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  /** Gives the creator five pieces of a token, and returns its contract. */
  async function givePieces(): Promise<Address> {
    const response = await fetch(`${marketplace.url}/api/public/nfts/3`)
    const { nfts } = (await response.json()) as { nfts: { contract: Address }[] }
    const address = nfts[0]?.contract ?? '0x'
    await createWalletClient({
      account: seller,
      chain: foundry,
      transport: http(marketplace.rpcUrl),
    }).writeContract({
      ...{ address, abi: erc1155Abi, functionName: 'mintBatch' },
      args: [creator.address, [BigInt(TOKEN_ID)], [5n], '0x'],
    })
    return address
  }

  /** Opens a page of the creator, signed in with the wallet. */
  async function openCreator() {
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    await installWallet(page, { account: creator, rpcUrl: marketplace.rpcUrl })
    await page.goto('/sign-in')
    await tryWallet(page)
    await waitForSignIn(page)
    return page
  }

  const openOperator = () => openAs(marketplace, 'ada@example.com', { reducedMotion: 'reduce' })

  /** Waits until the NFT can be ordered, and returns the id of its listing. */
  async function findOffer(nftId: number) {
    const isSold = async () => {
      await marketplace.runCron()
      const response = await fetch(`${marketplace.url}/api/public/listings?limit=100`)
      const { listings } = (await response.json()) as { listings: Offer[] }
      return listings.find(({ nft, sellable }) => nft.id === nftId && sellable)
    }
    const { id } = await vi.waitUntil(isSold, { timeout: PATIENCE, interval: 1000 })
    return id
  }

  it('sells what the wallet holds, once it is reviewed', async () => {
    const contract = await givePieces()
    const page = await openCreator()
    await page.goto('/settings/account')
    await page.getByLabel('Address to add').fill('mia@example.com')
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.goto(await marketplace.nextLink())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The e-mail address is linked.').waitFor()

    await page.getByRole('button', { name: /^Menu of/ }).click()
    await page.getByRole('link', { name: 'Your NFTs' }).click()
    await page.getByText('You have not listed anything yet.').waitFor()
    await expectAccessible(page, 'the empty list of a creator')

    await page.getByRole('link', { name: 'List an NFT' }).click()
    await page.getByLabel('Contract').fill(contract)
    await expectAccessible(page, 'the choice of a contract')
    await page.getByLabel('Token ids').fill('890-900')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel(`${TOKEN_ID} · 5 pieces`).check()
    await expectAccessible(page, 'the choice of a token')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Your wallet holds 5.').waitFor()
    await expectAccessible(page, 'the form of an NFT')
    await page.getByLabel('Collection').fill('Waves')
    await page.getByLabel('Title').fill('Sunrise')
    await page.getByLabel('Text (optional)').fill('A morning at sea')
    await page.getByLabel('Price of a piece', { exact: true }).fill('25.00')
    await page.getByLabel('Pieces for sale').fill('6')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The linked wallet does not hold the 6 pieces').waitFor()
    await expectAccessible(page, 'a form that was refused')
    await page.getByLabel('Pieces for sale').fill('5')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('It is saved.').waitFor()
    await page.getByText('In review', { exact: true }).waitFor()
    await expectAccessible(page, 'an NFT in review')
    await page.getByRole('link', { name: 'Preview' }).click()
    await page.getByText('Buyers see it like this').waitFor()
    await page.getByRole('heading', { name: 'Sunrise' }).waitFor()
    await expectAccessible(page, 'a preview')
    await page.getByRole('link', { name: 'Back to the form' }).click()
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await expectAccessible(page, 'the question of a withdrawal')
    await page.getByRole('button', { name: 'Cancel' }).click()

    const operator = await openOperator()
    await operator.goto('/operations')
    await operator.getByRole('link', { name: 'Review (2)' }).click()
    await operator.getByText('New NFT').nth(1).waitFor()
    await expectAccessible(operator, 'what waits to be approved')
    await operator.getByRole('link', { name: 'Sunrise' }).click()
    await operator.getByRole('heading', { name: 'New NFT: Sunrise' }).waitFor()
    await expectAccessible(operator, 'an NFT that waits to be approved')
    const nftId = Number(/\d+$/.exec(operator.url())?.[0])
    await operator.getByRole('button', { name: 'Approve', exact: true }).click()
    await operator.getByText('It is approved.').waitFor()
    await operator.getByRole('link', { name: 'Review (1)' }).waitFor()

    const link = await marketplace.linkOfMail('“Sunrise” was looked at, and is approved.')
    await page.goto(link)
    await page.getByText('On sale', { exact: true }).waitFor()
    await expectAccessible(page, 'the list of a creator')
    await page.getByRole('link', { name: 'Sunrise' }).click()
    await page.getByRole('link', { name: 'Allow delivery' }).click()
    await page.getByRole('button', { name: 'Allow delivery (Waves)' }).click()
    await page.getByText('allowed', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'See it in your NFTs Sunrise' }).click()
    await page.getByText('On sale', { exact: true }).waitFor()
    expect(await page.getByText('Buyers get it once you allow that').count()).toBe(0)
    await expectAccessible(page, 'an NFT on sale')

    const listingId = await findOffer(nftId)
    const order = { nftId, listingId, buyerUserId: 3, providerId: 'SUNRISE-1' }
    const { orderId, nft } = await placeOrder(marketplace, order)
    const buyer = await openAs(marketplace, 'bo@example.com', { reducedMotion: 'reduce' })
    await buyer.goto(`/orders/${orderId}`)
    await buyer.getByText('Delivered', { exact: true }).waitFor()
    await buyer.goto('/collection')
    await buyer.getByRole('link', { name: 'Sunrise' }).waitFor()
    await expectAccessible(buyer, 'a collection with the NFT of a creator')
    expect(await piecesOf(marketplace.rpcUrl, localAccount(3).address, nft)).toBe(1n)
  }, 600_000)

  it('shows buyers the former title and link until a change of them is reviewed', async () => {
    const page = await openCreator()
    await page.goto('/create')
    await page.getByRole('link', { name: 'Sunrise' }).click()
    await page.getByLabel('Title').fill('Free beer')
    await page.getByLabel('Link (optional)').fill('https://beer.example/')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Until then, the former version is on sale.').waitFor()
    await expectAccessible(page, 'an NFT on sale with a change in review')
    await page.getByRole('link', { name: 'See its page' }).click()
    await page.getByRole('heading', { name: 'Sunrise' }).waitFor()
    expect(await page.content()).not.toMatch(/beer/i)

    const operator = await openOperator()
    await operator.goto('/operations/review')
    await operator.getByText('Change of an NFT').waitFor()
    await operator.getByRole('link', { name: 'Sunrise' }).click()
    await operator.getByRole('heading', { name: 'Change of an NFT: Free beer' }).waitFor()
    await operator.getByText('Sunrise → Free beer').waitFor()
    await operator.getByText('– → https://beer.example/').waitFor()
    await expectAccessible(operator, 'a change that waits to be approved')
  }, 300_000)
})
