/** Renders docs/runbook.md as a page of `/docs`, so that alarms can link to its sections. */
import { readFile } from 'node:fs/promises'
import { Marked } from 'marked'

/** The id of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const content = this.parser.parseInline(tokens)
      const id = depth > 1 ? ` id="${anchorOf(text)}"` : ''
      return `<h${depth}${id}>${content}</h${depth}>\n`
    },
    // Boxes that scroll can be scrolled with the keyboard if they have the focus.
    code: ({ text }) => `<pre class="code" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table(token) {
      const cells = (tag: string, row: typeof token.header) =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
      const rows = token.rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')
      const head = cells('th scope="col"', token.header).replaceAll('</th scope="col">', '</th>')
      return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>\n`
    },
  },
})

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeHtml = (text: string) =>
  text.replace(/[&<>]/g, (character) => entities[character] ?? '')

export const renderRunbook = async (): Promise<string> =>
  marked.parse(await readFile('docs/runbook.md', 'utf8'))
