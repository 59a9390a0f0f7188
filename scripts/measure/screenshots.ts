/**
 * `npm run screenshots`: saves a picture of every page at 320, 390 and 1280 px, light and dark, and those
 * of README.md. The tests of the pages take them, so it needs Chromium as they do.
 */
import { mkdir, rm } from 'node:fs/promises'
import { defineCommand, start } from '../shell/command.ts'

const FOLDER = 'screenshots'

export const command = defineCommand(
  {
    name: 'npm run screenshots',
    purpose: `Saves a picture of every page in ${FOLDER}/, at 320, 390 and 1280 px, light and dark, and those of README.md in docs/images/.`,
    options: {
      only: { value: 'TEXT', default: '', help: 'Only of files that begin so.' },
    },
    variables: { CHROMIUM: 'The browser. Default: /usr/bin/chromium' },
    example: 'npm run screenshots -- --only demo',
  },
  async ({ only }) => {
    await rm(FOLDER, { recursive: true, force: true })
    await mkdir(FOLDER)
    process.env.SCREENSHOTS = FOLDER
    const options = { watch: false, mode: 'long', project: ['instance'] }
    const { startVitest } = await import('vitest/node')
    const vitest = await startVitest('test', [`test/browser/${only}`], options)
    await vitest.close()
    console.log(`The pictures are in ${FOLDER}/, those of README.md in docs/images/.`)
  },
)

if (import.meta.main) await start(command)
