/**
 * Signs in with a wallet of the browser, or links it to an account. Wallets announce themselves
 * (EIP-6963), are called as providers (EIP-1193), and sign a message of the server (EIP-4361).
 */
const panel = document.getElementById('wallets')
const list = panel.querySelector('.wallets')
const noWallets = document.getElementById('no-wallets')
const status = panel.querySelector('[role="status"]')
const problem = panel.querySelector('[role="alert"]')

const { purpose, redirect, address: onlyAddress } = panel.dataset
const chainIds = panel.dataset.chains.split(' ').map(Number)

/** Milliseconds to wait for wallets to announce themselves. */
const ANNOUNCE_TIMEOUT = 400

/** Error code of EIP-1193: the user rejected the request. */
const USER_REJECTED = 4001

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
  noWallets.hidden = false
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
  button.addEventListener('click', () => useWallet(provider, name))
  const item = document.createElement('li')
  item.append(button)
  list.append(item)
  list.hidden = false
  noWallets.hidden = true
  status.textContent = ''
}

async function useWallet(provider, name) {
  setBusy(true)
  problem.textContent = ''
  status.textContent = `Waiting for ${name}…`
  try {
    await signMessage(provider)
    status.textContent = 'Done.'
    location.assign(redirect)
  } catch (error) {
    status.textContent = ''
    problem.textContent =
      error.code === USER_REJECTED ? 'You did not sign the message.' : sentence(error.message)
    setBusy(false)
  }
}

async function signMessage(provider) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (onlyAddress && address.toLowerCase() !== onlyAddress.toLowerCase())
    throw new Error(`your wallet uses another account: choose ${onlyAddress} in it`)
  const chainId = await supportedChain(provider)
  const { message } = await post('/sign-in/wallet/message', { address, chainId, purpose })
  const signature = await provider.request({
    method: 'personal_sign',
    params: [toHex(message), address],
  })
  const target = purpose === 'link' ? '/settings/account/wallet' : '/sign-in/wallet'
  await post(target, { message, signature })
}

/** Returns the chain of the wallet, after switching it to a supported chain if necessary. */
async function supportedChain(provider) {
  const current = Number(await provider.request({ method: 'eth_chainId' }))
  if (chainIds.includes(current)) return current
  const [chainId] = chainIds
  await provider.request({
    method: 'wallet_switchEthereumChain',
    params: [{ chainId: `0x${chainId.toString(16)}` }],
  })
  return chainId
}

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  })
  const result = await response.json()
  if (result.code === 'reauthentication_required')
    location.assign(`/sign-in/again?redirect=${encodeURIComponent(location.pathname)}`)
  if (!response.ok) throw new Error(result.error)
  return result
}

function setBusy(isBusy) {
  for (const button of list.querySelectorAll('button')) button.disabled = isBusy
  panel.setAttribute('aria-busy', String(isBusy))
}

const toHex = (text) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
