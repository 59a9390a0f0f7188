type WalletApp = {
  name: string
  /** Returns the link that opens a page of this site, by its URL, in the browser of the app. */
  linkTo: (page: string) => string
}

/**
 * Wallet apps of phones, with the links that their makers document. If the app is not installed, the
 * link leads to a site of the maker, which then sees the URL of the page: it must have no secret.
 */
export const walletApps: readonly WalletApp[] = [
  {
    // https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
    name: 'MetaMask',
    // As it is: MetaMask takes the rest of the link for the page, and adds the scheme.
    linkTo: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, '')}`,
  },
  {
    // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
    name: 'Base (Coinbase Wallet)',
    linkTo: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
  },
  {
    // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
    name: 'Trust Wallet',
    linkTo: (page) =>
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  },
  {
    // https://web3.okx.com/build/docs/waas/app-universal-link
    name: 'OKX Wallet',
    linkTo: (page) => {
      const link = `okx://wallet/dapp/url?dappUrl=${encodeURIComponent(page)}`
      return `https://web3.okx.com/download?deeplink=${encodeURIComponent(link)}`
    },
  },
  {
    // https://docs.phantom.com/phantom-deeplinks/other-methods/browse
    name: 'Phantom',
    linkTo: (page) => {
      const site = encodeURIComponent(new URL(page).origin)
      return `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${site}`
    },
  },
]
