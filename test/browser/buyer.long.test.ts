/** Buyers, until the NFT has arrived, with scripts and without; and sellers who have to allow that. */
import { type Address, createWalletClient, getContractAddress, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOwner, seller } from '../../scripts/local/catalogue/demo.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { expectAccessible } from './accessibility.ts'
import { installWallet, piecesOf, placeOrder } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs, signInByMail } from './marketplace.ts'

describe.skipIf(!hasChromium)('buyers and sellers in a browser', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  it('leads a buyer from a claim link to the NFT in the wallet', async () => {
    const email = 'claimer@example.com'
    const order = { buyer: { email }, providerId: 'WALK-5' }
    const { orderId: id, nft } = await placeOrder(marketplace, order)
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    const { account, watched } = await installWallet(page, { rpcUrl: marketplace.rpcUrl })
    await page.goto(`/claim/${id}`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await page.goto(await marketplace.nextLink())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Connect a wallet' }).waitFor()
    await page.getByRole('button', { name: 'Test Wallet', exact: true }).click()
    await page.getByRole('heading', { name: 'Order WALK-5' }).waitFor()
    await page.locator('.order .done').nth(2).waitFor()
    expect(await piecesOf(marketplace.rpcUrl, account.address, nft)).toBe(1n)
    await page.getByText('Karl Johans gate 31, 0154 Oslo, NO').waitFor()
    await page.getByRole('button', { name: 'Add to wallet' }).click()
    await page.getByText('Done.').waitFor()
    const options = { address: nft.contractAddr, tokenId: nft.tokenId }
    expect(watched).toEqual([{ type: 'ERC1155', options }])
    await expectAccessible(page, 'the page of an order')
    // On paper it is a receipt.
    await page.emulateMedia({ media: 'print' })
    for (const text of ['Marketplace', 'Order WALK-5', '€10.00', 'Sold by', 'Cleo Creator'])
      await page.getByText(text).filter({ visible: true }).first().waitFor()
    for (const role of ['navigation', 'button'] as const)
      expect(await page.getByRole(role).count(), role).toBe(0)
    await page.emulateMedia({ media: null })

    await page.getByRole('button', { name: /^Menu of/ }).click()
    await expectAccessible(page, 'the menu')
    await page.getByRole('link', { name: 'Collection' }).click()
    await page.getByRole('heading', { name: 'Collection' }).waitFor()
    await expectAccessible(page, 'a collection')
    await page.getByRole('link', { name: 'As many as you like' }).click()
    await page.getByRole('heading', { name: 'Order WALK-5' }).waitFor()
  }, 120_000)

  /** Allows the Delivery contract to transfer editions of the demo's seller, or forbids it. */
  async function setApproval(isAllowed: boolean) {
    const response = await fetch(`${marketplace.url}/api/public/nfts/2`)
    const { nfts } = (await response.json()) as { nfts: { contract: Address }[] }
    await createWalletClient({
      account: seller,
      chain: foundry,
      transport: http(marketplace.rpcUrl),
    }).writeContract({
      address: nfts[0]?.contract ?? '0x',
      abi: erc1155Abi,
      functionName: 'setApprovalForAll',
      args: [getContractAddress({ from: deliveryOwner.address, nonce: 0n }), isAllowed],
    })
  }

  it('leads a seller from a missing permission to a delivered order', async () => {
    await setApproval(false)
    const order = { nftId: 2, buyerUserId: 3, providerId: 'SELL-1' }
    const { orderId: id } = await placeOrder(marketplace, order)
    const buyer = await openAs(marketplace, 'bo@example.com', { reducedMotion: 'reduce' })
    await buyer.goto(`/orders/${id}`)
    await buyer.getByText('Waiting for the seller').waitFor()
    await buyer.getByText(rules.holder_not_approved.sentence).waitFor()
    await expectAccessible(buyer, 'an order that waits for its seller')

    const other = await marketplace.open()
    await installWallet(other)
    await signInByMail(marketplace, other, 'cleo@example.com')
    await other.goto('/settings/selling')
    await other.getByRole('button', { name: 'Allow delivery (Edition)' }).click()
    await other.getByText(`Your wallet uses another account: choose ${seller.address}`).waitFor()

    const page = await marketplace.open({ reducedMotion: 'reduce' })
    const { rpcUrl } = marketplace
    const { requests } = await installWallet(page, { account: seller, chainId: 1, rpcUrl })
    await signInByMail(marketplace, page, 'cleo@example.com')
    await page.getByRole('link', { name: 'Sold' }).click()
    await page.getByText('You have not allowed delivery of Edition').waitFor()
    await page.locator(`#order-${id}`).getByText('Waiting for you').waitFor()
    await page.getByRole('link', { name: 'Allow it' }).click()
    await page.getByText('missing', { exact: true }).waitFor()
    await expectAccessible(page, 'a missing permission')
    await page.getByRole('button', { name: 'Allow delivery (Edition)' }).click()
    await page.getByText('The contract is allowed.').waitFor()
    expect(requests).toContain('wallet_switchEthereumChain')
    expect(await page.getByText('missing', { exact: true }).count()).toBe(0)
    await expectAccessible(page, 'permissions that are given')
    // The buyer has not loaded the page again.
    await buyer.locator('.order .done').nth(2).waitFor()
    await buyer.getByText('Delivered', { exact: true }).waitFor()
  }, 180_000)

  it('sends a form once after a double click', async () => {
    const page = await openAs(marketplace, 'twice@example.com')
    await page.goto('/settings/addresses/delivery/new')
    await page.getByLabel('Street and house number').fill('Road 1')
    await page.getByLabel('City').fill('Oslo')
    await page.getByLabel('Country').fill('Norway')
    await page.getByRole('button', { name: 'Add address' }).dblclick()
    await page.getByText('The address is added.').waitFor()
    await page.goto('/settings/addresses')
    expect(await page.getByRole('heading', { name: 'Road 1, Oslo, Norway' }).count()).toBe(1)
  })

  it('says why orders no longer update', async () => {
    const page = await marketplace.open()
    const email = 'leaver@example.com'
    await signInByMail(marketplace, page, email)
    await placeOrder(marketplace, { buyer: { email }, providerId: 'WALK-4' })
    await page.goto('/orders')
    await page.getByText('to receive this.').waitFor()
    await page.route('**/orders', (route) => route.abort())
    await page.getByText('There is no connection.').waitFor()
    await page.unroute('**/orders')
    await page.context().clearCookies()
    await page.getByText('because you are signed out').waitFor()
  })
})
