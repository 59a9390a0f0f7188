/**
 * Signing in with, or linking, a wallet of the browser: wallets announce themselves (EIP-6963),
 * each is a provider (EIP-1193), and what they sign is a message that the server wrote (EIP-4361).
 */
const panel = document.getElementById('wallets')
const list = panel.querySelector('.wallets')
const none = document.getElementById('no-wallets')
const status = panel.querySelector('[role="status"]')
const problem = panel.querySelector('[role="alert"]')

const { purpose, redirect } = panel.dataset
const chainIds = panel.dataset.chains.split(' ').map(Number)

/** How long to wait for wallets to announce themselves, in milliseconds. */
const PATIENCE = 400

/** EIP-1193: the user said no. */
const REJECTED = 4001

const known = new Set()

status.textContent = 'Looking for wallets…'

addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) =>
  offer(info.uuid, info.name, info.icon, provider),
)
dispatchEvent(new Event('eip6963:requestProvider'))
setTimeout(() => {
  // A wallet from before EIP-6963 is only found here.
  if (known.size === 0 && globalThis.ethereum) offer('legacy', 'Browser wallet', '', ethereum)
  if (known.size > 0) return
  status.textContent = ''
  none.hidden = false
}, PATIENCE)

function offer(uuid, name, icon, provider) {
  if (known.has(uuid)) return
  known.add(uuid)
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
  button.addEventListener('click', () => use(provider, name))
  const item = document.createElement('li')
  item.append(button)
  list.append(item)
  list.hidden = false
  none.hidden = true
  status.textContent = ''
}

async function use(provider, name) {
  busy(true)
  problem.textContent = ''
  status.textContent = `Waiting for ${name}…`
  try {
    await prove(provider)
    status.textContent = 'Done.'
    location.assign(redirect)
  } catch (error) {
    status.textContent = ''
    problem.textContent =
      error.code === REJECTED ? 'The wallet did not sign.' : sentence(error.message)
    busy(false)
  }
}

async function prove(provider) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  const chainId = await supportedChain(provider)
  const { message } = await post('/sign-in/wallet/message', { address, chainId, purpose })
  const signature = await provider.request({
    method: 'personal_sign',
    params: [hexOf(message), address],
  })
  const target = purpose === 'link' ? '/settings/account/wallet' : '/sign-in/wallet'
  await post(target, { message, signature })
}

/** The chain that the wallet is on, after asking it to come to one of ours if it is elsewhere. */
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
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

function busy(is) {
  for (const button of list.querySelectorAll('button')) button.disabled = is
  panel.setAttribute('aria-busy', String(is))
}

const hexOf = (text) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
