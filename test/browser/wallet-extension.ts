/** The script of a wallet extension. `askWallet` has the key and handles the requests. */
export const announceWallet = `(() => {
  const icon = 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="#f6851b"/></svg>')
  const detail = Object.freeze({
    info: { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test Wallet', icon, rdns: 'test.wallet' },
    provider: {
      request: async ({ method, params }) => {
        const result = await window.askWallet(method, params ?? [])
        if (result?.code) throw Object.assign(new Error(result.message), result)
        return result
      },
    },
  })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
})()`
