/** Runs `npm run dev` in a copy of the project and opens it in a browser. */
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { vi } from 'vitest'
import { LOCAL_CHAIN_ID } from '../../scripts/chain/collectibles.ts'
import { aFreePort, aProject } from '../support/project.ts'
import { CHROMIUM } from './chromium.ts'
import { announceWallet } from './wallet-extension.ts'

export type Marketplace = Awaited<ReturnType<typeof aMarketplace>>

export async function aMarketplace() {
  const project = await aProject()
  await allowManySignIns(join(project.folder, 'wrangler.toml'))
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const { process: dev, out } = await project.start('dev', 'Press Ctrl-C to stop', ports)
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })
  const url = `http://localhost:${ports.PORT}`
  return {
    url,
    /** Opens a page in a new browser profile. */
    open: (options: BrowserContextOptions = {}) => openPage(browser, { baseURL: url, ...options }),
    nextLink: openMailbox(project.folder),
    /** Makes all sign-ins older, as if they had been 11 minutes ago. */
    ageSessions: () => ageSessions(project.folder),
    /** The token that `npm run dev` prints. */
    masterToken: /Master token:\n(\S+)/.exec(out)?.[1] ?? '',
    close: async () => {
      await browser.close()
      dev.kill('SIGINT')
      await once(dev, 'exit')
      await project.remove()
    },
  }
}

/** Raises the rate limit, because all tests sign in from one address. */
async function allowManySignIns(configuration: string) {
  const text = await readFile(configuration, 'utf8')
  const limit = /(?<=name = "SIGN_IN_LIMIT"[^[]*limit = )\d+/g
  await writeFile(configuration, text.replaceAll(limit, '1000'))
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  return page
}

/** Adds a wallet to the page. It announces itself (EIP-6963) and signs with a real key. */
export async function installWallet(page: Page, { chainId }: { chainId?: number } = {}) {
  const account = privateKeyToAccount(generatePrivateKey())
  const requests: string[] = []
  let chain: number = chainId ?? LOCAL_CHAIN_ID
  let isRejecting = false
  const handleRequest = async (method: string, params: readonly [`0x${string}`]) => {
    requests.push(method)
    if (isRejecting && method === 'personal_sign') return { code: 4001, message: 'rejected' }
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return `0x${chain.toString(16)}`
    if (method === 'wallet_switchEthereumChain') {
      chain = LOCAL_CHAIN_ID
      return null
    }
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] } })
    throw new Error(`the test wallet does not support ${method}`)
  }
  await page.exposeFunction('askWallet', handleRequest)
  await page.addInitScript(announceWallet)
  return {
    account,
    requests,
    setRejecting: (value: boolean) => {
      isRejecting = value
    },
  }
}

async function ageSessions(folder: string): Promise<void> {
  const root = join(folder, '.wrangler/state/v3/d1')
  const names = await readdir(root, { recursive: true })
  const file = names.find((name) => /[0-9a-f]{64}\.sqlite$/.test(name))
  if (!file) throw new Error('there is no database')
  const database = new DatabaseSync(join(root, file))
  const createdAt = new Date(Date.now() - 11 * 60_000).toISOString()
  database.prepare("UPDATE tokens SET createdAt = ? WHERE kind = 'session'").run(createdAt)
  database.close()
}

/** Returns the links with a secret in the mails that the local e-mail binding has written. */
async function readMailedLinks(folder: string): Promise<string[]> {
  const root = join(folder, '.wrangler/tmp/email')
  const names = await readdir(root, { recursive: true }).catch(() => [])
  const files = names.filter((name) => name.endsWith('.txt'))
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), 'utf8')))
  return texts.flatMap((text) => /http:\S+secret=\S+/.exec(text) ?? [])
}

/** Returns a function that waits for the next mail and returns its link. */
function openMailbox(folder: string) {
  const opened = new Set<string>()
  return async () => {
    const link = await vi.waitUntil(
      async () => (await readMailedLinks(folder)).find((candidate) => !opened.has(candidate)),
      10_000,
    )
    opened.add(link)
    return link
  }
}

/** Signs in with a mailed link and returns the link. */
export async function signInByMail(marketplace: Marketplace, page: Page, email: string) {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
  const link = await marketplace.nextLink()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'API Access' }).waitFor()
  return link
}
