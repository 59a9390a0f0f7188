/** Renders Markdown to HTML. */
import { Marked, type Token, type Tokens } from 'marked'

/** The languages of programs, of which a page shows one. */
const languages: Record<string, string> = {
  sh: 'curl',
  ts: 'TypeScript',
  py: 'Python',
  php: 'PHP',
  go: 'Go',
}

/** Characters of code in a sentence that may break between two lines. */
const LONG = 30

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = depth > 1 ? ` id="${slug(text)}"` : ''
      return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    codespan: ({ text }) =>
      `<code class="code${text.length > LONG ? '' : ' short'}">${escapeHtml(text)}</code>`,
    // Boxes that scroll can be scrolled with the keyboard if they have the focus.
    code: ({ text, lang }) =>
      `<pre class="code${lang ? '' : ' output'}" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table({ header, rows }) {
      const labels = header.map(({ text }, i) => (i > 0 && header.length > 2 ? text : ''))
      const labelled = (i: number) =>
        labels[i] ? `td data-label="${escapeHtml(labels[i])}"` : 'td'
      const cell =
        (tagOf: (column: number) => string) => (content: Tokens.TableCell, i: number) => {
          const tag = tagOf(i)
          return `<${tag}>${this.parser.parseInline(content.tokens)}</${tag.split(' ')[0]}>`
        }
      const hasHead = header.some(({ text }) => text)
      const head = hasHead
        ? `<thead><tr>${header.map(cell(() => 'th scope="col"')).join('')}</tr></thead>`
        : ''
      const ids = rowIds(rows)
      const body = rows.map((row, i) => `<tr${ids[i]}>${row.map(cell(labelled)).join('')}</tr>\n`)
      return `<div class="table" tabindex="0"><table>${head}<tbody>\n${body.join('')}</tbody></table></div>\n`
    },
  },
})

/** Returns the HTML of a document. */
export function renderMarkdown(markdown: string): string {
  const tokens = marked.lexer(markdown).filter(({ type }) => type !== 'space')
  const blocks: string[] = []
  while (tokens.length > 0) {
    const end = tokens.findIndex((token) => !isProgram(token))
    const programs = tokens.splice(0, end < 0 ? tokens.length : end).filter(isProgram)
    if (programs.length > 1) blocks.push(tabs(programs))
    else blocks.push(marked.parser(programs.length > 0 ? programs : tokens.splice(0, 1)))
  }
  return blocks.join('')
}

/** Returns the HTML of a sentence. */
export const renderInline = (text: string): string => String(marked.parseInline(text))

/** A program in one of several languages begins with the language and a name: ` ```ts place `. */
const isProgram = (token: Token): token is Tokens.Code =>
  token.type === 'code' && /^\w+ \w/.test(token.lang ?? '')

/** One of the programs at a time. `samples.js` remembers the language, and shows the button. */
function tabs(programs: Tokens.Code[]): string {
  const inputs = programs.map(({ lang = '' }, i) => {
    const [language = '', name] = lang.split(' ')
    const id = `${name}-${language}`
    return `<input type="radio" class="visually-hidden" id="${id}" name="${name}" value="${language}"${i === 0 ? ' checked' : ''}><label for="${id}">${languages[language]}</label>\n`
  })
  return `<fieldset class="samples"><legend class="visually-hidden">Language</legend>
${inputs.join('')}<button class="button small" type="button" data-copy-sample hidden><span>Copy</span><span class="visually-hidden"> the program</span></button>
${marked.parser(programs)}</fieldset>
`
}

/** The id of a heading, as GitHub makes it. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/**
 * A row that begins with a code, or has one after a status, can be linked: `/docs/errors#sold_out`.
 * A table with several rows of a code is no list of codes.
 */
function rowIds(rows: Tokens.TableCell[][]): string[] {
  const codes = rows.map(
    (row) => row.map(({ text }) => /^`(\w+)`$/.exec(text)).find((match) => match)?.[1],
  )
  const named = codes.filter((code) => code)
  const isList = new Set(named).size === named.length
  return codes.map((code) => (code && isList ? ` id="${code}"` : ''))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (found) => entities[found] ?? '')
