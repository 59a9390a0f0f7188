/** The groups of operations, in the order in which a shop needs them: the sections of tags.md. */
import { readFileSync } from 'node:fs'

const [, ...sections] = readFileSync('scripts/build/openapi/tags.md', 'utf8').split(/^## /m)

export const tags = sections.map((section) => {
  const [name = ''] = section.split('\n')
  return { name, description: section.slice(name.length).trim() }
})
