import { existsSync } from 'node:fs'

/** By default the path of Debian's package. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

/** Warns here, because Vitest shows the output of a test only if it fails. */
export default function setup() {
  if (!hasChromium)
    console.warn(`The browser tests are skipped, because ${CHROMIUM} does not exist.`)
}
