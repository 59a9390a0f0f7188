/**
 * Signs in with a wallet of the browser, or links it to an account. Wallets announce themselves
 * (EIP-6963), are called as providers (EIP-1193), and sign a message of the server (EIP-4361).
 */
const panel = document.getElementById('wallets')
const list = panel.querySelector('.wallets')
const status = panel.querySelector(':scope > [role="status"]')
const problem = panel.querySelector(':scope > [role="alert"]')

const { purpose, redirect, address: onlyAddress } = panel.dataset
const networks = JSON.parse(panel.dataset.networks)

/** What to do without a wallet. Those of phones are apps with a browser of their own. */
const isPhone = matchMedia('(pointer: coarse)').matches
const withoutWallet = document.getElementById(isPhone ? 'wallet-app' : 'no-wallets')

/** Milliseconds to wait for wallets to announce themselves. */
const ANNOUNCE_TIMEOUT = 400

/** EIP-3326: the wallet does not know the chain. */
const UNKNOWN_CHAIN = 4902

/** Error codes of wallets (EIP-1193, EIP-1474). */
const explanations = {
  4001: 'You declined the request in your wallet.',
  4100: 'Your wallet does not let this site use the account. Allow it in the wallet, then try again.',
  4200: 'Your wallet cannot do this. Try another wallet.',
  4900: 'Your wallet is not connected to any network. Check your connection, then try again.',
  4901: 'Your wallet is not connected to this network. Check your connection, then try again.',
  [-32002]: 'Open your wallet: a request is waiting there.',
}

/** An error whose message is written for people. */
class Problem extends Error {}

/** Ids of the wallets that have a button. */
const walletIds = new Set()

status.textContent = 'Looking for wallets…'

addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) =>
  addWallet(info.uuid, info.name, info.icon, provider),
)
dispatchEvent(new Event('eip6963:requestProvider'))
setTimeout(() => {
  // Wallets that do not support EIP-6963 set `window.ethereum`.
  if (walletIds.size === 0 && globalThis.ethereum)
    addWallet('legacy', 'Browser wallet', '', ethereum)
  if (walletIds.size > 0) return
  status.textContent = ''
  const address = document.getElementById('page-address')
  address.value = new URL(address.dataset.path, location.origin)
  withoutWallet.hidden = false
}, ANNOUNCE_TIMEOUT)

function addWallet(uuid, name, icon, provider) {
  if (walletIds.has(uuid)) return
  walletIds.add(uuid)
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button wallet'
  if (icon.startsWith('data:image/')) {
    const image = document.createElement('img')
    image.src = icon
    image.alt = ''
    button.append(image)
  }
  button.append(name)
  button.addEventListener('click', () => useWallet(provider, name, button))
  const item = document.createElement('li')
  item.append(button)
  list.append(item)
  list.hidden = false
  withoutWallet.hidden = true
  status.textContent = ''
}

async function useWallet(provider, name, button) {
  setBusy(true)
  problem.textContent = ''
  status.textContent = `Waiting for ${name}…`
  try {
    const { transfers } = await signMessage(provider)
    status.textContent = 'Done.'
    location.assign(transfers ? `/orders?notice=wallet-linked&transfers=${transfers}` : redirect)
  } catch (error) {
    status.textContent = ''
    problem.textContent = explain(error)
    setBusy(false)
    // A button that is disabled loses the focus.
    button.focus()
  }
}

function explain(error) {
  if (error instanceof Problem) return sentence(error.message)
  return (
    explanations[error?.code] ??
    'Your wallet did not answer as expected. Unlock it, reload this page, and try again.'
  )
}

/** Returns the answer of the server to the signed message. */
async function signMessage(provider) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (!address) throw new Problem('your wallet shares no account: unlock it, then try again')
  if (onlyAddress && address.toLowerCase() !== onlyAddress.toLowerCase())
    throw new Problem(`your wallet uses another account: choose ${onlyAddress} in it`)
  const chainId = await supportedChain(provider)
  const { message } = await post('/sign-in/wallet/message', { address, chainId, purpose })
  const signature = await provider.request({
    method: 'personal_sign',
    params: [toHex(message), address],
  })
  const target = purpose === 'link' ? '/settings/account/wallet' : '/sign-in/wallet'
  return post(target, { message, signature })
}

/** Returns the chain of the wallet, after switching it to a supported chain if necessary. */
async function supportedChain(provider) {
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
      `your wallet does not know the network “${name}”: add it in your wallet (chain id ${chainId}), then try again`,
    )
  await provider.request({ method: 'wallet_addEthereumChain', params: [addition] })
  if ((await chainOf(provider)) !== chainId) await switchChain(provider, network)
}

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Problem('this site did not answer: check your connection, then try again')
  })
  const result = await response.json().catch(() => {
    throw new Problem('something went wrong on our side: try again in a minute')
  })
  if (result.code === 'reauthentication_required')
    location.assign(`/sign-in/again?redirect=${encodeURIComponent(location.pathname)}`)
  if (!response.ok) throw new Problem(result.error)
  return result
}

function setBusy(isBusy) {
  for (const button of list.querySelectorAll('button')) button.disabled = isBusy
  panel.setAttribute('aria-busy', String(isBusy))
}

const toHex = (text) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
