/** Files of the local instance, relative to the project's folder, where npm runs scripts. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const FOLDER = '.wrangler'
/** The state of D1, R2 and the chain. `npm run dev -- --fresh` deletes it. */
export const STATE = `${FOLDER}/state`
export const CHAIN_STATE = `${STATE}/anvil.json`
/** The address of the Delivery contract. */
export const DELIVERY = `${STATE}/delivery`
/** Milliseconds by which the clock of the instance is ahead of that of this machine. */
export const CLOCK = `${STATE}/clock`
/** The copy of the database that `/dev/backup` makes. */
export const BACKUP = `${STATE}/backup.sqlite`
/** Where wrangler keeps the database of the Worker. */
const DATABASES = `${STATE}/v3/d1`
/** Locked while `npm run dev` is running, and which process that is. */
export const LOCK = `${FOLDER}/dev.lock`
export const LOCK_OWNER = `${FOLDER}/dev.owner`
export const SECRETS = '.dev.vars'
const PUBLIC_URL = `${STATE}/public-url`
const RPC_URLS = `${STATE}/rpc-urls`

/** The base URL of the last `npm run dev`. It is the issuer of local tokens. */
export const savePublicUrl = (url: string) => writeFile(PUBLIC_URL, url)
export const readPublicUrl = () => readFile(PUBLIC_URL, 'utf8').catch(() => undefined)

/** The nodes of the last `npm run dev`, separated by commas; '' before the first. */
export const saveRpcUrls = (urls: string) => writeFile(RPC_URLS, urls)
export const readRpcUrls = () => (existsSync(RPC_URLS) ? readFileSync(RPC_URLS, 'utf8') : '')

/** Returns the file of the database, which wrangler names by a hash of its id; undefined without one. */
export async function findDatabase(): Promise<string | undefined> {
  const files = await readdir(DATABASES, { recursive: true }).catch(() => [])
  const [name, ...others] = files.filter((file) => /[0-9a-f]{64}\.sqlite$/.test(file))
  if (others.length > 0) throw new Error(`${DATABASES} has more than one database`)
  return name && join(DATABASES, name)
}
