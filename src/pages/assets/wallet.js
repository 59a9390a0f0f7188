/**
 * Signs in with a wallet of the browser, or links it to an account: the wallet signs a message of the
 * server (EIP-4361).
 */
import './copy.js'
import { refusalOf, translate } from './texts.js'
import { accountOf, explain, findWallets, Problem, useChain } from './wallets.js'

const panel = document.getElementById('wallets')
const list = panel.querySelector(':scope > .wallets')
const apps = panel.querySelector('.wallet-apps')
const status = panel.querySelector(':scope > [role="status"]')
const problem = panel.querySelector(':scope > [role="alert"]')

const { purpose, redirect, message: source, target, address: onlyAddress } = panel.dataset
const networks = JSON.parse(panel.dataset.networks)

status.textContent = translate('Looking for wallets…')

findWallets(addWallet, () => {
  const isPhone = matchMedia('(pointer: coarse)').matches
  apps.hidden = !isPhone
  status.textContent = isPhone
    ? ''
    : translate(
        'No wallet was found in this browser. Install one, or unlock it, and reload this page.',
      )
})

function addWallet({ name, icon, provider }) {
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
  apps.hidden = true
  status.textContent = ''
}

async function useWallet(provider, name, button) {
  setBusy(true)
  problem.textContent = ''
  status.textContent = translate('Waiting for {name}…', { name })
  try {
    const { transfers } = await signMessage(provider)
    status.textContent = translate('Done.')
    location.assign(transfers ? `/orders?notice=wallet-linked&transfers=${transfers}` : redirect)
  } catch (error) {
    status.textContent = ''
    problem.textContent = explain(error)
    setBusy(false)
    // A button that is disabled loses the focus.
    button.focus()
  }
}

/** Returns the answer of the server to the signed message. */
async function signMessage(provider) {
  const address = await accountOf(provider, onlyAddress)
  const chainId = await useChain(provider, networks)
  const { message } = await post(source, { address, chainId, purpose })
  const signature = await provider.request({
    method: 'personal_sign',
    params: [toHex(message), address],
  })
  return post(target, { message, signature })
}

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Problem(translate('This site did not answer: check your connection, then try again.'))
  })
  const result = await response.json().catch(() => {
    throw new Problem(translate('Something went wrong on our side: try again in a minute.'))
  })
  if (result.code === 'reauthentication_required')
    location.assign(`/sign-in/again?redirect=${encodeURIComponent(location.pathname)}`)
  // The page of a phone says what to do then.
  if (/^(wallet_has_account|link_expired)$/.test(result.code)) location.reload()
  if (!response.ok) throw new Problem(refusalOf(result))
  return result
}

function setBusy(isBusy) {
  for (const button of list.querySelectorAll('button')) button.disabled = isBusy
  panel.setAttribute('aria-busy', String(isBusy))
}

const toHex = (text) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
