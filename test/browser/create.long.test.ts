/** A creator in a browser: from a wallet without an account to an NFT in review, whose delivery is allowed. */
import { type Address, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seller } from '../../scripts/local/catalogue/demo.ts'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import { expectAccessible } from './accessibility.ts'
import { installWallet, tryWallet, waitForSignIn } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace } from './marketplace.ts'

/** An account that the node knows, and nobody of the demo. */
const creator = localAccount(9)
const TOKEN_ID = '900'

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

  it('lists what the wallet holds, and allows its delivery', async () => {
    const contract = await givePieces()
    const { rpcUrl } = marketplace
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    await installWallet(page, { account: creator, rpcUrl })
    await page.goto('/sign-in')
    await tryWallet(page)
    await waitForSignIn(page)
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

    await page.getByRole('link', { name: 'Allow delivery' }).click()
    await page.getByRole('button', { name: 'Allow delivery (Waves)' }).click()
    await page.getByText('allowed', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'See it in your NFTs Sunrise' }).click()
    await page.getByText('In review', { exact: true }).waitFor()
    expect(await page.getByText('Buyers get it once you allow that').count()).toBe(0)
    await page.getByRole('link', { name: 'Preview' }).click()
    await page.getByText('Buyers see it like this').waitFor()
    await page.getByRole('heading', { name: 'Sunrise' }).waitFor()
    await expectAccessible(page, 'a preview')
    await page.getByRole('link', { name: 'Back to the form' }).click()
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await expectAccessible(page, 'the question of a withdrawal')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.goto('/create')
    await page.getByText('In review', { exact: true }).waitFor()
    await expectAccessible(page, 'the list of a creator')
  }, 300_000)
})
