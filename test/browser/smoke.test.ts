/** The most important ways through the pages. The long tests of this folder have the others. */
import { describe, expect, it } from 'vitest'
import { instance, userId } from '../support/instance/instance.ts'
import { installWallet, open, piecesOf, placeOrder, signInByMail, tryWallet } from './browser.ts'
import { hasChromium } from './chromium.ts'

describe.skipIf(!hasChromium)('in a browser', () => {
  it('a seller signs in with a wallet, and generates, copies and revokes a token', async () => {
    const page = await open()
    const { account, requests } = await installWallet(page)
    await page.goto('/settings/api-access')
    await tryWallet(page)
    await page.getByText('You have no tokens yet.').waitFor()
    expect(requests).toEqual(['eth_requestAccounts', 'eth_chainId', 'personal_sign'])

    await page.getByLabel('Name', { exact: true }).fill('my shop')
    await page.getByRole('button', { name: 'Generate token' }).click()
    const token = (await page.getByLabel('Token', { exact: true }).inputValue()).trim()
    await page.getByRole('button', { name: 'Copy the text of “Token”' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    const addresses = `${instance.url}/api/public/user/${await userId(account.address)}/deliveryAddresses`
    const call = () => fetch(addresses, { headers: { authorization: `Bearer ${token}` } })
    expect((await call()).status).toBe(200)

    await page.goto('/settings/api-access')
    await page.getByRole('button', { name: 'Revoke my shop' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('The token is revoked').waitFor()
    expect((await call()).status).toBe(401)
  })

  it('a buyer signs in by mail, links a wallet, and watches an NFT arrive', async () => {
    const page = await open({ timezoneId: 'Asia/Tokyo' })
    const { account } = await installWallet(page)
    await signInByMail(page, 'smoke-buyer@example.com')
    const { nft } = await placeOrder(instance, {
      buyerUserId: await userId('smoke-buyer@example.com'),
      providerId: 'SMOKE-1',
    })
    await page.goto('/orders')
    await page.getByText('Order SMOKE-1').waitFor()
    await page.getByRole('link', { name: 'Link a wallet' }).first().click()
    await tryWallet(page)
    await page.getByText('The wallet is linked. 1 NFT is on its way.').waitFor()
    // Lost if the page is loaded again.
    await page.evaluate('globalThis.isSamePage = true')
    await page.locator('.order .done').nth(2).waitFor()
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    expect(await piecesOf(instance.rpcUrl, account.address, nft)).toBe(1n)
    const time = page.locator('.order time').last()
    const at = new Date((await time.getAttribute('datetime')) ?? '')
    const inTokyo = { dateStyle: 'long', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const
    expect(await time.getAttribute('title')).toBe(at.toLocaleString('en-GB', inTokyo))
  })
})
