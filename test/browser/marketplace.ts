/** Runs `npm run dev` in a copy of the project and opens it in a browser. */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { vi } from 'vitest'
import { PATIENCE } from '../support/patience.ts'
import { aFreePort, aProject, raiseLimits } from '../support/project.ts'
import { queryInstance } from '../support/query.ts'
import { launch, openPage, waitForSignIn } from './browser.ts'

export type Marketplace = Awaited<ReturnType<typeof aMarketplace>>

/** `variables`: more variables of the environment. */
export async function aMarketplace(variables: Record<string, string> = {}) {
  const project = await aProject()
  await raiseLimits(project.folder)
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const environment = { ...ports, ...variables }
  const { process: dev } = await project.start('dev', 'Press Ctrl-C to stop', environment)
  const browser = await launch()
  const url = `http://localhost:${ports.PORT}`
  const master = await project.run('token', ['--master'])
  return {
    url,
    /** The local node. */
    rpcUrl: `http://127.0.0.1:${ports.RPC_PORT}`,
    /** Opens a page in a new browser profile. */
    open: (options: BrowserContextOptions = {}) => openPage(browser, { baseURL: url, ...options }),
    nextLink: openMailbox(project.folder),
    /** Waits for a mail that says this, and returns its link. */
    linkOfMail: (text: string) =>
      vi.waitUntil(async () => {
        const mail = (await readMails(project.folder)).find((known) => known.includes(text))
        return /http:\S+/.exec(mail ?? '')?.[0]
      }, PATIENCE),
    /** Makes all sign-ins older, as if they had been 11 minutes ago. */
    ageSessions: () => {
      const createdAt = new Date(Date.now() - 11 * 60_000).toISOString()
      return queryInstance(url, "UPDATE tokens SET createdAt = ? WHERE kind = 'session'", createdAt)
    },
    /** Changes rows of the database. */
    change: (sql: string, ...params: string[]) => queryInstance(url, sql, ...params),
    /** Runs the cron trigger, which also runs by itself each minute. */
    runCron: () => fetch(`${url}/cdn-cgi/local/scheduled`),
    /** A master token. */
    token: master.out.trim(),
    close: async () => {
      await browser.close()
      dev.kill('SIGINT')
      await once(dev, 'exit')
      await project.remove()
    },
  }
}

/** Returns the texts of the mails that the local e-mail binding has written. */
async function readMails(folder: string): Promise<string[]> {
  const root = join(folder, '.wrangler/tmp/email')
  const names = await readdir(root, { recursive: true }).catch(() => [])
  const files = names.filter((name) => name.endsWith('.txt'))
  return Promise.all(files.map((name) => readFile(join(root, name), 'utf8')))
}

/** Returns the links in them that prove an address. */
async function readMailedLinks(folder: string): Promise<string[]> {
  const texts = await readMails(folder)
  return texts.flatMap((text) => /http:\S+(?<!\/claim\/\d+)\?secret=\S+/.exec(text) ?? [])
}

/** Returns a function that waits for the next mail and returns its link. */
function openMailbox(folder: string) {
  const opened = new Set<string>()
  return async () => {
    const link = await vi.waitUntil(
      async () => (await readMailedLinks(folder)).find((candidate) => !opened.has(candidate)),
      PATIENCE,
    )
    opened.add(link)
    return link
  }
}

/** Signs in with a mailed link, as a person does. */
export async function signInByMail({ nextLink }: Marketplace, page: Page, email: string) {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
  await page.goto(await nextLink())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForSignIn(page)
}

/** Opens a page in a new browser profile, in which a person is signed in. */
export async function openAs(
  marketplace: Marketplace,
  email: string,
  options: BrowserContextOptions = {},
) {
  const page = await marketplace.open(options)
  await signInByMail(marketplace, page, email)
  return page
}

/** A PNG of 600 × 300 pixels: its left half is red, its right half is blue. */
export async function aPicture(marketplace: Marketplace) {
  const page = await marketplace.open()
  const style = 'width: 600px; height: 300px; background: linear-gradient(90deg, #f00 50%, #00f 0)'
  await page.setContent(`<div style="${style}">`)
  const buffer = await page.locator('div').screenshot()
  await page.context().close()
  return { name: 'picture.png', mimeType: 'image/png', buffer }
}
