import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { mailsPage } from '../../../scripts/local/mails.ts'
import { createLogReader } from '../../../scripts/local/worker-log.ts'
import { aTemporaryFolder } from '../../support/folder.ts'

const folder = await aTemporaryFolder()

beforeAll(() => void vi.useFakeTimers({ now: new Date(2026, 0, 2, 9, 31, 7), toFake: ['Date'] }))

beforeEach(() => vi.stubEnv('NO_COLOR', '1'))
afterEach(() => vi.unstubAllEnvs())

afterAll(() => void vi.useRealTimers())

/** What is printed for this output of wrangler. */
function read(output: string): string[] {
  const lines: string[] = []
  const readLine = createLogReader((line) => lines.push(line))
  for (const line of output.split('\n')) readLine(line)
  return lines
}

it('prints the stack of an error on lines of its own', () => {
  const event = {
    event: 'request_failed',
    requestId: 'd9ee451b-32c9-49e2-9b4f-ca26add4f0f4',
    error: 'Error: a\nb',
    stack: 'at one\nat two',
  }
  const mark = '\x1b[31m✘ \x1b[41;31m[\x1b[41;97mERROR\x1b[41;31m]\x1b[0m \x1b[1m'
  expect(read(`${mark}${JSON.stringify(event)}\x1b[0m\n\n`)).toEqual([
    [
      '09:31:07  ERROR  request_failed  req d9ee451b',
      '    error: Error: a',
      '        b',
      '    stack: at one',
      '        at two',
    ].join('\n'),
  ])
})

const MAIL = '<style>@media (prefers-color-scheme: dark) {}</style><b class="x">Hello</b>'

const aMail = async (text: string) => {
  const file = join(folder, 'mail.txt')
  await writeFile(file, text)
  await writeFile(join(folder, 'mail.html'), MAIL)
  return `[wrangler:info] send_email binding called with MessageBuilder:
From: marketplace@example.com
To: bo@example.com
Subject: A subject: with a colon

Text: ${file}
HTML: ${folder}/mail.html
after`
}

it('keeps mails for the page that shows them as text, and as HTML in light and dark', async () => {
  read(await aMail('Hello & <b>welcome</b>'))
  const page = mailsPage()
  expect(page).toContain('<h2>A subject: with a colon</h2>\n<p>To bo@example.com, ')
  expect(page).toContain('<pre tabindex="0">Hello &amp; &lt;b&gt;welcome&lt;/b&gt;</pre>')
  const inDark = (query: string) =>
    `srcdoc="&lt;style&gt;@media ${query} {}&lt;/style&gt;&lt;b class=&quot;x&quot;&gt;Hello&lt;/b&gt;">`
  expect(page).toContain(inDark('not all'))
  expect(page).toContain(inDark('all'))
})
