/** The pages of visitors, buyers, sellers and operators in a browser, with the data of the demo. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, signInByMail } from './marketplace.ts'

/** The paths, by who opens them. */
const pages: Record<string, readonly string[]> = {
  'a visitor': [
    ...['/', '/nfts', '/nfts?q=nothing+fits', `/nfts?q=${'x'.repeat(300)}`, '/nfts?edition=unique'],
    ...['/nfts/1', '/nfts/2', '/nfts/6', '/creators/cleo', '/sign-in', '/sign-in/email/sent'],
    ...['/sign-in?notice=signed-out', '/sign-in/email?secret=0', '/claim/6', '/phone?secret=0'],
    ...['/phone/wallet', '/mails/unsubscribe'],
    ...['/docs', '/docs/errors', '/docs/webhooks', '/docs/api-orders', '/nowhere'],
  ],
  // With a wallet, an address and orders in each state.
  'bo@example.com': [
    ...['/orders', '/orders/1', '/orders/2', '/orders/3', '/orders/5', '/collection'],
    // With files: of an order, and of a token that is held.
    ...['/orders/4', '/nfts/6/content', '/nfts/6'],
    ...['/settings/profile', '/settings/account', '/settings/sessions', '/settings/addresses'],
    ...['/settings/addresses?kind=billing&deleted=1', '/settings/addresses/delivery/new'],
    ...['/settings/addresses/billing/new', '/settings/selling', '/sign-out', '/nowhere'],
  ],
  // Without a wallet.
  'emil@example.com': ['/orders', '/orders/6', '/claim/6', '/collection', '/settings/account'],
  'cleo@example.com': [
    ...['/orders?side=sold', '/settings/selling', '/settings/profile', '/settings/api-access'],
    ...['/settings/selling/2', '/create', '/create/new'],
    ...['/settings/webhooks', '/settings/webhooks/new'],
  ],
  'ada@example.com': [
    ...['/operations', '/operations?range=days', '/operations/transfers'],
    ...['/operations/transfers/2', '/operations/catalogue', '/operations/listings/2'],
    ...['/operations/orders', '/operations/orders/2', '/operations/users', '/operations/users/5'],
    ...['/operations/nfts', '/operations/nfts/5', '/operations/listings', '/operations/shops'],
    ...['/operations/search?q=bo', '/operations/search?q=nothing', '/operations/audit'],
    ...['/operations/administrators', '/operations/review', '/operations/review/nft/4'],
    ...['/settings/api-access', '/settings/api-access/everyone'],
  ],
}

describe.skipIf(!hasChromium)('in a browser', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
    await marketplace.runCron()
  })
  afterAll(() => marketplace?.close())

  it.each(Object.entries(pages))(
    'what %s opens is accessible',
    async (person, paths) => {
      const page = await marketplace.open({ reducedMotion: 'reduce' })
      if (person.includes('@')) await signInByMail(marketplace, page, person)
      for (const path of paths) {
        await page.goto(path)
        await expectAccessible(page, `${person}, ${path}`)
      }
    },
    600_000,
  )
})
