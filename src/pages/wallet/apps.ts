/**
 * Wallet apps of phones, by name: each returns the link that opens a page of this site, by its URL,
 * in the browser of the app, as its maker documents it. If the app is not installed, the link leads
 * to a site of the maker, which then sees the URL of the page: it must have no secret.
 */
export const walletApps: Record<string, (page: string) => string> = {
  // https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
  // As it is: MetaMask takes the rest of the link for the page, and adds the scheme.
  MetaMask: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, '')}`,
  // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
  'Base (Coinbase Wallet)': (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
  // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
  'Trust Wallet': (page) =>
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  // https://web3.okx.com/build/docs/waas/app-universal-link
  'OKX Wallet': (page) => {
    const link = `okx://wallet/dapp/url?dappUrl=${encodeURIComponent(page)}`
    return `https://web3.okx.com/download?deeplink=${encodeURIComponent(link)}`
  },
  // https://docs.phantom.com/phantom-deeplinks/other-methods/browse
  Phantom: (page) => {
    const site = encodeURIComponent(new URL(page).origin)
    return `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${site}`
  },
}

/** Where people without a wallet get one: some that are widely used. */
export const walletSites = {
  MetaMask: 'https://metamask.io/download',
  Rainbow: 'https://rainbow.me/download',
  'Trust Wallet': 'https://trustwallet.com/download',
}
