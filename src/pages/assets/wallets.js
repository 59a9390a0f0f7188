/**
 * The wallets of the browser. They announce themselves (EIP-6963), and are called as providers
 * (EIP-1193).
 */

import { translate } from './texts.js'

/** Milliseconds to wait for wallets to announce themselves. */
const ANNOUNCE_TIMEOUT = 400

/** EIP-3326: the wallet does not know the chain. */
const UNKNOWN_CHAIN = 4902

/** Error codes of wallets (EIP-1193, EIP-1474). */
const explanations = {
  4001: translate('You declined the request in your wallet.'),
  4100: translate(
    'Your wallet does not let this site use the account. Allow it in the wallet, then try again.',
  ),
  4200: translate('Your wallet cannot do this. Try another wallet.'),
  4900: translate(
    'Your wallet is not connected to any network. Check your connection, then try again.',
  ),
  4901: translate(
    'Your wallet is not connected to this network. Check your connection, then try again.',
  ),
  [-32002]: translate('Open your wallet: a request is waiting there.'),
}

/** An error whose message is a sentence for people. */
export class Problem extends Error {}

/** Calls `onFound` with each wallet, and `onNone` if there is none after a while. */
export function findWallets(onFound, onNone) {
  const ids = new Set()
  const add = (uuid, name, icon, provider) => {
    if (ids.has(uuid)) return
    ids.add(uuid)
    onFound({ name, icon, provider })
  }
  addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) =>
    add(info.uuid, info.name, info.icon, provider),
  )
  dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    // Wallets that do not support EIP-6963 set `window.ethereum`.
    if (ids.size === 0 && globalThis.ethereum)
      add('legacy', translate('Browser wallet'), '', ethereum)
    if (ids.size === 0) onNone()
  }, ANNOUNCE_TIMEOUT)
}

/** Returns what went wrong, as a sentence for people. */
export function explain(error) {
  if (error instanceof Problem) return error.message
  return (
    explanations[error?.code] ??
    translate('Your wallet did not answer as expected. Unlock it, reload this page, and try again.')
  )
}

/** Returns the account that the wallet shares. If one is given, no other is accepted. */
export async function accountOf(provider, only) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (!address)
    throw new Problem(translate('Your wallet shares no account: unlock it, then try again.'))
  if (only && address.toLowerCase() !== only.toLowerCase())
    throw new Problem(
      translate('Your wallet uses another account: choose {address} in it.', { address: only }),
    )
  return address
}

/**
 * Returns the chain of the wallet, after switching it to the first network unless it is on one of
 * them. Adds the network if the wallet does not know it.
 */
export async function useChain(provider, networks) {
  const current = await chainOf(provider)
  if (networks.some(({ chainId }) => chainId === current)) return current
  const [network] = networks
  try {
    await switchChain(provider, network)
  } catch (error) {
    const code = error?.data?.originalError?.code ?? error?.code
    if (code !== UNKNOWN_CHAIN) throw error
    await addChain(provider, network)
  }
  return network.chainId
}

const chainOf = async (provider) => Number(await provider.request({ method: 'eth_chainId' }))

const switchChain = (provider, { chainId }) =>
  provider.request({
    method: 'wallet_switchEthereumChain',
    params: [{ chainId: `0x${chainId.toString(16)}` }],
  })

/** Adds the chain to the wallet (EIP-3085) and switches to it. Not every wallet does both at once. */
async function addChain(provider, network) {
  const { name, chainId, addition } = network
  if (!addition)
    throw new Problem(
      translate(
        'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.',
        { name, chainId },
      ),
    )
  await provider.request({ method: 'wallet_addEthereumChain', params: [addition] })
  if ((await chainOf(provider)) !== chainId) await switchChain(provider, network)
}
