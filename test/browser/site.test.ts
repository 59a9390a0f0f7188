/** The pages in a browser, with a wallet and a mailbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, installWallet, type Marketplace, signInByMail } from './marketplace.ts'

/** Describes the focused element, and whether its focus is visible. */
const FOCUSED = `(({ textContent, name }) => {
  const outline = getComputedStyle(document.activeElement).outlineStyle
  return (textContent.trim() || name) + (outline === 'solid' ? ', outlined' : ', invisible')
})(document.activeElement)`

describe.skipIf(!hasChromium)('in a browser', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  const call = (path: string, token: string) =>
    fetch(`${marketplace.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const OWN = '/api/public/user/me/deliveryAddresses'

  it('signs in with a wallet, generates a token, reads it again, and revokes it', async () => {
    const page = await marketplace.open()
    const { account, requests } = await installWallet(page)
    await page.goto('/settings/api-access')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByText('You have no tokens yet.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/settings/api-access')
    expect(requests).toEqual(['eth_requestAccounts', 'eth_chainId', 'personal_sign'])

    await page.getByLabel('Name of the new token').fill('my shop')
    await page.getByRole('button', { name: 'Generate token' }).click()
    const field = page.getByLabel('Token', { exact: true })
    const token = (await field.inputValue()).trim()
    expect((await call(OWN, token)).status).toBe(200)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await page.reload()
    expect((await field.inputValue()).trim()).toBe(token)

    await page.goto('/settings/account')
    await page.getByText(account.address).waitFor()
    await page.goto('/settings/api-access')
    await page.getByRole('link', { name: 'Show token my shop' }).click()
    expect((await field.inputValue()).trim()).toBe(token)

    await page.goto('/settings/api-access')
    await page.getByText('Revoke my shop').click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('The token is revoked').waitFor()
    expect((await call(OWN, token)).status).toBe(401)
    expect(await page.getByRole('heading', { name: 'my shop' }).count()).toBe(0)
  })

  it('signs in with a mailed link, links a wallet, and signs out', async () => {
    const page = await marketplace.open()
    const link = await signInByMail(marketplace, page, 'someone@example.com')
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    const { account } = await installWallet(page)
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByText('The wallet is linked.').waitFor()
    await page.getByText(account.address).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByText('someone@example.com').first().waitFor()
  })

  it('asks for a new sign-in before it shows a token, and returns to it', async () => {
    const page = await marketplace.open()
    await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByLabel('Name of the new token').fill('night shop')
    await page.getByLabel('May').selectOption('read')
    await page.getByLabel('Expires after').selectOption('30')
    await page.getByRole('button', { name: 'Generate token' }).click()
    const field = page.getByLabel('Token', { exact: true })
    const token = (await field.inputValue()).trim()
    const path = new URL(page.url()).pathname

    await marketplace.ageSessions()
    await page.goto(path)
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await field.waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    expect((await field.inputValue()).trim()).toBe(token)

    await page.getByRole('button', { name: 'Roll token' }).click()
    await page.getByText('This is the new token.').waitFor()
    const rolled = (await field.inputValue()).trim()
    expect(rolled).not.toBe(token)
    expect((await call(OWN, rolled)).status).toBe(200)
    expect((await call(OWN, token)).status).toBe(200)
  })

  it('links a wallet after a new sign-in by mail', async () => {
    const page = await marketplace.open()
    await signInByMail(marketplace, page, 'late@example.com')
    const { account } = await installWallet(page)
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    await marketplace.ageSessions()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await page.goto(await marketplace.nextLink())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Account', level: 2 }).waitFor()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByText('The wallet is linked.').waitFor()
    await page.getByText(account.address).waitFor()
    await page.getByText('Unlink the wallet').click()
    await page.getByRole('button', { name: 'Unlink wallet' }).click()
    await page.getByText('The wallet is unlinked.').waitFor()
  })

  it('lists the sessions of a user, and ends the others', async () => {
    const laptop = await marketplace.open()
    const phone = await marketplace.open()
    await signInByMail(marketplace, laptop, 'two@example.com')
    await signInByMail(marketplace, phone, 'two@example.com')
    await laptop.goto('/settings/sessions')
    expect(await laptop.getByRole('heading', { name: 'Chrome on Linux' }).count()).toBe(2)
    await laptop.getByRole('button', { name: 'End all other sessions' }).click()
    await laptop.getByText('All other sessions are ended.').waitFor()
    expect(await laptop.getByRole('heading', { name: 'Chrome on Linux' }).count()).toBe(1)
    await phone.reload()
    await phone.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('asks a wallet on another chain to switch', async () => {
    const page = await marketplace.open()
    const { requests } = await installWallet(page, { chainId: 1 })
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('heading', { name: 'API Access' }).waitFor()
    expect(requests).toContain('wallet_switchEthereumChain')
  })

  it('shows an error if the user does not sign, and allows another try', async () => {
    const page = await marketplace.open()
    const { setRejecting } = await installWallet(page)
    await page.goto('/sign-in')
    setRejecting(true)
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByText('You did not sign the message.').waitFor()
    setRejecting(false)
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('heading', { name: 'API Access' }).waitFor()
  })

  it('works without JavaScript, except for wallets', async () => {
    const page = await marketplace.open({ javaScriptEnabled: false })
    await signInByMail(marketplace, page, 'no-script@example.com')
    await page.getByLabel('Name of the new token').fill('plain')
    await page.getByRole('button', { name: 'Generate token' }).click()
    const token = (await page.getByLabel('Token', { exact: true }).inputValue()).trim()
    expect((await call(OWN, token)).status).toBe(200)
    await page.goto('/settings/api-access')
    await page.getByText('Revoke plain').click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('The token is revoked').waitFor()
    expect((await call(OWN, token)).status).toBe(401)
  })

  it('shows the focus and works with the keyboard', async () => {
    const page = await marketplace.open()
    await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    const seen: string[] = []
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Tab')
      seen.push(await page.evaluate(FOCUSED))
    }
    expect(seen).toEqual([
      'Skip to the content, outlined',
      'Marketplace, outlined',
      'Test Wallet, outlined',
      'email, outlined',
      'Send me a link, outlined',
    ])
    await page.getByRole('button', { name: 'Test Wallet' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API Access' }).waitFor()
  })

  it('is accessible on every page', async () => {
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    const check = (name: string) => expectAccessible(page, name)
    const visit = async (path: string, name: string) => {
      await page.goto(path)
      await check(name)
    }
    await visit('/sign-in?redirect=/settings/account&notice=signed-out', 'sign-in without a wallet')
    await page.getByText('No wallet was found').waitFor()
    await check('no wallet')
    // Valid for the browser, but not for the server.
    await page.getByLabel('E-mail address').fill('ada@example')
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByText('This is not an e-mail address.').waitFor()
    await check('not an address')
    await visit('/sign-in/email/sent', 'link sent')
    await visit(`/sign-in/email?secret=${'0'.repeat(64)}`, 'link expired')
    await visit('/nowhere', 'not found')

    const { requests } = await installWallet(page)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    await check('sign-in')
    expect(requests).toEqual([])
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('heading', { name: 'API Access' }).waitFor()
    await check('no tokens')
    await visit('/settings/account', 'account with a wallet')
    await visit('/settings/api-access/everyone', 'for administrators only')

    await page.goto('/settings/account')
    await page.getByLabel('Address to add').fill('new@example.com')
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByText('a link is on its way').waitFor()
    await check('account, link sent')
    await visit(await marketplace.nextLink(), 'confirm the address')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The e-mail address is linked.').waitFor()
    await check('account with both')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()

    await signInByMail(marketplace, page, 'ada@example.com')
    await page.getByLabel('Name of the new token').fill('Shop in Oslo, orders of the night run')
    await page.getByLabel('Acts for').selectOption('master')
    await page.getByRole('button', { name: 'Generate token' }).click()
    await page.getByLabel('Token', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    await check('a token')
    await visit('/settings/api-access', 'tokens')
    await page.locator('summary').first().click()
    await check('tokens, revocation')
    await visit('/settings/api-access/everyone', 'everyone')
    await visit('/settings/api-access/everyone?owner=nobody@example.com', 'everyone, none found')
    await visit('/settings/sessions', 'sessions')
    const second = await marketplace.open()
    await signInByMail(marketplace, second, 'ada@example.com')
    await visit('/settings/sessions', 'two sessions')
    await marketplace.ageSessions()
    await visit('/sign-in/again', 'sign in again')
    await visit('/settings/api-access', 'tokens, old sign-in')
    await visit('/settings/account', 'account, old sign-in')
    await visit('/settings/sessions', 'sessions, old sign-in')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()

    await signInByMail(marketplace, page, 'emil@example.com')
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    await check('account without a wallet')
  }, 300_000)
})
