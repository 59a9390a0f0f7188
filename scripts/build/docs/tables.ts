/** Tables of documents that are made from the code. */

/**
 * Returns a document in which the sections with these titles (`##`) have these tables, in place of their
 * first table or at their end. Everything else stays as it is written.
 */
export function withTables(document: string, tables: Readonly<Record<string, string>>): string {
  const [before = '', ...sections] = document.split(/^## /m)
  const titles = sections.map((section) => section.split('\n')[0] ?? '')
  const missing = Object.keys(tables).filter((title) => !titles.includes(title))
  if (missing.length > 0) throw new Error(`The document lacks the sections ${missing.join(', ')}.`)
  const written = sections.map((section, i) => {
    const table = tables[titles[i] ?? '']
    if (table === undefined) return section.trimEnd()
    const [text = ''] = section.split(/^\|/m)
    const rest = section.slice(text.length).replace(/^(\|.*\n)*/, '')
    return `${text.trimEnd()}\n\n${table}\n${rest.trim()}`.trimEnd()
  })
  return `${[before.trimEnd(), ...written].join('\n\n## ')}\n`
}

/** Returns a table in Markdown. */
export function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => `| ${row.join(' | ')} |\n`)
  return lines.toSpliced(1, 0, `|${'---|'.repeat(header.length)}\n`).join('')
}
