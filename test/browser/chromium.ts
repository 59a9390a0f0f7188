import { existsSync } from 'node:fs'

/** Where Debian's package puts it. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const isChromiumThere = existsSync(CHROMIUM)

/** Said here, once: what a test prints is shown only if it fails. */
export default function setup() {
  if (!isChromiumThere)
    console.warn(`The browser tests are skipped: there is no Chromium at ${CHROMIUM}.`)
}
