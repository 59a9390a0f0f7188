/** The links that open a page in the wallet app of a phone. */
import { expect, it } from 'vitest'
import { anEmail, aVisitor, signInByEmail } from '../support/visitor.ts'

const shop = { REDIRECT_ORIGINS: ['https://shop.example'] } as Partial<Env>

/** The links of a page by the name of the app. */
async function linksOf(path: string, visitor = aVisitor()): Promise<Record<string, string>> {
  const html = await (await visitor.get(path, { env: shop })).text()
  const links = html.matchAll(/<a class="button wallet" href="([^"]*)">([^<]*)<\/a>/g)
  return Object.fromEntries(
    [...links].map(([, href = '', name = '']) => [name, href.replaceAll('&amp;', '&')]),
  )
}

/** The page that each app opens, read as the documents of its maker say. */
function pagesIn(links: Record<string, string>) {
  const query = (name: string, field: string) =>
    URL.parse(links[name] ?? '')?.searchParams.get(field)
  return {
    MetaMask: links.MetaMask?.replace('https://link.metamask.io/dapp/', 'https://'),
    'Base (Coinbase Wallet)': query('Base (Coinbase Wallet)', 'cb_url'),
    'Trust Wallet': query('Trust Wallet', 'url'),
    'OKX Wallet': URL.parse(query('OKX Wallet', 'deeplink') ?? '')?.searchParams.get('dappUrl'),
    Phantom: decodeURIComponent(URL.parse(links.Phantom ?? '')?.pathname.slice(11) ?? ''),
  }
}

const everywhere = (page: string) => ({
  MetaMask: page,
  'Base (Coinbase Wallet)': page,
  'Trust Wallet': page,
  'OKX Wallet': page,
  Phantom: page,
})

it('are those that the makers document', async () => {
  const page = 'https%3A%2F%2Fmarketplace.test%2Fsign-in'
  const query = '%3Fredirect%3Dhttps%253A%252F%252Fmarketplace.test%252Forders'
  expect(await linksOf('/sign-in')).toEqual({
    MetaMask:
      'https://link.metamask.io/dapp/marketplace.test/sign-in?redirect=https%3A%2F%2Fmarketplace.test%2Forders',
    'Base (Coinbase Wallet)': `https://go.cb-w.com/dapp?cb_url=${page}${query}`,
    'Trust Wallet': `https://link.trustwallet.com/open_url?coin_id=60&url=${page}${query}`,
    'OKX Wallet': `https://web3.okx.com/download?deeplink=${encodeURIComponent(
      `okx://wallet/dapp/url?dappUrl=${page}${query}`,
    )}`,
    Phantom: `https://phantom.app/ul/browse/${page}${query}?ref=https%3A%2F%2Fmarketplace.test`,
  })
})

it.each([
  ['/nfts?q="><script>', 'https://marketplace.test/nfts?q=%22%3E%3Cscript%3E'],
  ['https://shop.example/cart?a=ü', 'https://shop.example/cart?a=%C3%BC'],
])('lead back to %s after the sign-in', async (redirect, target) => {
  const page = `/sign-in?${new URLSearchParams({ redirect })}`
  const opened = `https://marketplace.test/sign-in?${new URLSearchParams({ redirect: target })}`
  expect(pagesIn(await linksOf(page))).toEqual(everywhere(opened))
})

const CONFIRM = '/settings/account/email/confirm?secret=s3cret'

it.each([CONFIRM, `/sign-in/again?${new URLSearchParams({ redirect: CONFIRM })}`])(
  'have no secret, because the makers of the apps may see them: %s',
  async (redirect) => {
    const links = await linksOf(`/sign-in?${new URLSearchParams({ redirect })}`)
    expect(pagesIn(links)).toEqual(everywhere('https://marketplace.test/sign-in'))
  },
)

it('open the account where a wallet is linked', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, anEmail())
  const links = await linksOf('/settings/account', visitor)
  expect(pagesIn(links)).toEqual(everywhere('https://marketplace.test/settings/account'))
})
