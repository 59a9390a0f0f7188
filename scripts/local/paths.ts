/** What is kept on this machine. Scripts run in the project's folder, as npm sees to. */
import { readFile, writeFile } from 'node:fs/promises'

/** All that `-- --fresh` deletes: what wrangler keeps of D1 and R2, and the chain beside it. */
export const STATE = '.wrangler/state'
export const CHAIN_STATE = `${STATE}/anvil.json`
export const SECRETS = '.dev.vars'
const PUBLIC_URL = `${STATE}/public-url`

/** The base URL of the development server that ran last: tokens are issued for it. */
export const rememberUrl = (url: string) => writeFile(PUBLIC_URL, url)
export const rememberedUrl = () => readFile(PUBLIC_URL, 'utf8').catch(() => undefined)
