/**
 * Buttons that show a token in a wallet (EIP-747), or have it allow the Delivery contract to deliver
 * tokens. The attribute `data-action` says which.
 */
import { translate } from './texts.js'
import { accountOf, explain, findWallets, Problem, useChain } from './wallets.js'

/** Milliseconds between two questions for a receipt, and how many there are. */
const RECEIPT_DELAY = 2000
const RECEIPT_TRIES = 150

/** Milliseconds before the second load of the page, doubled each time, and how many there are. */
const PAGE_DELAY = 4000
const PAGE_TRIES = 4

/** Codes of wallets that do not know a method or its parameters (EIP-1193, EIP-1474). */
const NOT_SUPPORTED = [4200, -32601, -32602]

/** Codes of a transaction that would fail (EIP-1474, geth). */
const WOULD_FAIL = [3, -32000, -32603]

const wallets = []

const actions = () => document.querySelectorAll('.wallet-action[data-action]')
const actionOf = ({ dataset }) => JSON.parse(dataset.action)
const statusOf = (element) => element.querySelector('[role="status"]')
const problemOf = (element) => element.querySelector('[role="alert"]')

function addButtons() {
  for (const element of actions())
    if (element.ariaBusy !== 'true')
      element
        .querySelector('.actions')
        .replaceChildren(...wallets.map((wallet) => buttonOf(element, wallet)))
}

function buttonOf(element, wallet) {
  const { label, subject } = actionOf(element)
  const button = document.createElement('button')
  button.type = 'button'
  button.className = actionOf(element).request.allow ? 'button primary' : 'button'
  const { name } = wallet
  button.append(wallets.length > 1 ? translate('{label} with {name}', { label, name }) : label)
  const hidden = document.createElement('span')
  hidden.className = 'visually-hidden'
  hidden.textContent = ` (${subject})`
  button.append(hidden)
  button.addEventListener('click', () => run(element, wallet, button))
  return button
}

async function run(element, { provider, name }, button) {
  setBusy(element, true)
  problemOf(element).textContent = ''
  statusOf(element).textContent = translate('Waiting for {name}…', { name })
  try {
    const { account, network, request } = actionOf(element)
    const from = await accountOf(provider, account)
    await useChain(provider, [network])
    if (request.watch) await watchToken(provider, request.watch)
    else await allow(element, provider, { from, ...request })
    statusOf(element).textContent = translate('Done.')
  } catch (error) {
    statusOf(element).textContent = ''
    problemOf(element).textContent = explain(error)
  }
  setBusy(element, false)
  // A button that is disabled loses the focus.
  button.focus()
}

function setBusy(element, isBusy) {
  for (const button of element.querySelectorAll('button')) button.disabled = isBusy
  element.setAttribute('aria-busy', String(isBusy))
}

async function watchToken(provider, { address, tokenId }) {
  // ERC-165: whether it is an ERC-721.
  const data = `0x01ffc9a780ac58cd${'0'.repeat(56)}`
  const answer = await provider.request({
    method: 'eth_call',
    params: [{ to: address, data }, 'latest'],
  })
  const type = Number(answer) === 1 ? 'ERC721' : 'ERC1155'
  const params = { type, options: { address, tokenId } }
  try {
    if (await provider.request({ method: 'wallet_watchAsset', params })) return
  } catch (error) {
    if (!NOT_SUPPORTED.includes(error?.code)) throw error
  }
  throw new Problem(
    translate(
      'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.',
    ),
  )
}

/** `keccak256("MINTER_ROLE")`: the role in the contracts of OpenZeppelin. */
const MINTER_ROLE = '9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a6'

const word = (hex) => hex.replace('0x', '').toLowerCase().padStart(64, '0')

/** Encodes `grantRole(bytes32,address)` or `setApprovalForAll(address,bool)`. */
const encode = ({ allow, delivery }) =>
  allow === 'mint'
    ? `0x2f2ff15d${MINTER_ROLE}${word(delivery)}`
    : `0xa22cb465${word(delivery)}${word('1')}`

/** The same call, in words. */
const describe = ({ allow, delivery }) =>
  allow === 'mint' ? `grantRole(MINTER_ROLE, ${delivery})` : `setApprovalForAll(${delivery}, true)`

/** Sends the transaction, and loads the page again once it shows what the transaction did. */
async function allow(element, provider, { from, contract: to, ...request }) {
  const transaction = { from, to, data: encode(request) }
  const hash = await provider
    .request({ method: 'eth_sendTransaction', params: [transaction] })
    .catch((error) => {
      if (!WOULD_FAIL.includes(error?.code)) throw error
      throw new Problem(
        'The transaction would fail: your wallet may lack ether, or the right to do this.',
      )
    })
  statusOf(element).textContent = 'The transaction is sent. Waiting for the network…'
  await succeeded(provider, hash)
  await showResult(element.closest('[data-state]').id)
}

async function succeeded(provider, hash) {
  for (let i = 0; i < RECEIPT_TRIES; i++) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    if (receipt && Number(receipt.status) !== 1)
      throw new Problem('The transaction failed: your wallet says why.')
    if (receipt) return
    await sleep(RECEIPT_DELAY)
  }
  throw new Problem(
    'The transaction takes long: load this page again when your wallet shows it as done.',
  )
}

/** The node of the server may be behind that of the wallet. What waits is tried with the form of the row. */
async function showResult(rowId) {
  for (let i = 0; i < PAGE_TRIES; i++) {
    const response = await fetch(location.href).catch(() => null)
    const html = response?.ok ? await response.text() : ''
    const row = new DOMParser().parseFromString(html, 'text/html').getElementById(rowId)
    if (row?.dataset.state === 'allowed') {
      const form = row.querySelector('form')
      if (!form) break
      document.body.append(form)
      form.submit()
      return
    }
    await sleep(PAGE_DELAY * 2 ** i)
  }
  location.reload()
}

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time))

findWallets(
  (wallet) => {
    wallets.push(wallet)
    addButtons()
  },
  () => {
    for (const element of actions()) {
      const { request, account } = actionOf(element)
      if (request.allow)
        statusOf(element).textContent =
          `No wallet was found in this browser. Open this page where your wallet is, or call ${describe(request)} of the contract with ${account}.`
    }
  },
)
// `orders.js` has replaced a part of the page.
document.addEventListener('replaced', addButtons)
