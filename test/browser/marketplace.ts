/** `npm run dev` in a folder of its own, and a browser in front of it, as a person would have. */

import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  const { process: dev, out } = await project.start('dev', 'Ctrl-C ends everything', ports)
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
    /** A page of a browser profile of its own. */
    open: (options: BrowserContextOptions = {}) => openPage(browser, { baseURL: url, ...options }),
    nextLink: aMailbox(project.folder),
    /** The one that `npm run dev` prints. */
    masterToken: /Master token:\n(\S+)/.exec(out)?.[1] ?? '',
    close: async () => {
      await browser.close()
      dev.kill('SIGINT')
      await once(dev, 'exit')
      await project.remove()
    },
  }
}

/** A test signs in more often than the people of one household. */
async function allowManySignIns(configuration: string) {
  const text = await readFile(configuration, 'utf8')
  const own = /(?<=name = "SIGN_IN_LIMIT"[^[]*limit = )\d+/g
  await writeFile(configuration, text.replaceAll(own, '1000'))
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

/** Puts a wallet into the page's browser: it announces itself (EIP-6963), and really signs. */
export async function installWallet(page: Page, { chainId }: { chainId?: number } = {}) {
  const account = privateKeyToAccount(generatePrivateKey())
  const requests: string[] = []
  let chain: number = chainId ?? LOCAL_CHAIN_ID
  let isRefusing = false
  const answer = async (method: string, params: readonly [`0x${string}`]) => {
    requests.push(method)
    if (isRefusing && method === 'personal_sign') return { code: 4001, message: 'rejected' }
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return `0x${chain.toString(16)}`
    if (method === 'wallet_switchEthereumChain') {
      chain = LOCAL_CHAIN_ID
      return null
    }
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] } })
    throw new Error(`${method} is not known to this wallet`)
  }
  await page.exposeFunction('askWallet', answer)
  await page.addInitScript(announceWallet)
  return {
    account,
    requests,
    refuse: (isIt: boolean) => {
      isRefusing = isIt
    },
  }
}

/** The links in the mails that the local e-mail binding has written. */
async function mailedLinks(folder: string): Promise<string[]> {
  const root = join(folder, '.wrangler/tmp/email')
  const names = await readdir(root, { recursive: true }).catch(() => [])
  const files = names.filter((name) => name.endsWith('.txt'))
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), 'utf8')))
  return texts.flatMap((text) => /http:\S+/.exec(text) ?? [])
}

/** Gives each link once, and waits for the next: a mail is written a moment after it is sent. */
function aMailbox(folder: string) {
  const opened = new Set<string>()
  return async () => {
    const link = await vi.waitUntil(
      async () => (await mailedLinks(folder)).find((candidate) => !opened.has(candidate)),
      10_000,
    )
    opened.add(link)
    return link
  }
}

/** Signs in by the link that is mailed, and gives it. */
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
