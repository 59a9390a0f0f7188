/** A way through the pages with a wallet. The long tests of this folder have the others. */
import { describe, expect, it } from 'vitest'
import { instance, userId } from '../support/instance/instance.ts'
import { installWallet, open, tryWallet } from './browser.ts'
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
})
