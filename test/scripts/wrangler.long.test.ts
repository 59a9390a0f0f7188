/**
 * The commands of wrangler that documents name exist, with their options, in the pinned version. Most
 * need an account at Cloudflare, so they cannot run here; `runbook.long.test.ts` runs those of the
 * runbook with a stand-in.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { environment } from '../support/environment.ts'

const texts = globSync(['*.md', 'docs/**/*.md']).map((document) => readFileSync(document, 'utf8'))

/** Each command with its options, as in `d1 info DB --env`, without the values of the options. */
const commands = new Set(
  texts.flatMap((text) =>
    [...text.replaceAll(/ *\\\n */g, ' ').matchAll(/npx wrangler ([^`\n#|;&)]*)/g)].map(
      ([, line = '']) => {
        const words = line
          .replaceAll(/"[^"]*"|'[^']*'/g, 'VALUE')
          .trim()
          .split(/\s+/)
        const end = words.findIndex((word) => word.startsWith('-'))
        const options = words.filter((word) => word.startsWith('--'))
        return [...(end < 0 ? words : words.slice(0, end)), ...options].join(' ')
      },
    ),
  ),
)

it.each([...commands].sort())('wrangler %s exists', async (line) => {
  const words = line.split(' ')
  const command = words.filter((word) => !word.startsWith('--'))
  const args = [resolve('node_modules/wrangler/bin/wrangler.js'), ...[...command, '--help']]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment() })
  // Of a command that does not exist, wrangler prints the commands beside it.
  expect(stdout).not.toMatch(/^COMMANDS$/m)
  for (const option of words.slice(command.length)) expect(stdout).toContain(` ${option} `)
})
