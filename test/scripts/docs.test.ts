import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderMarkdown } from '../../scripts/docs/markdown.ts'
import { searchEntries } from '../../scripts/docs/search.ts'

const render = (file: string) => renderMarkdown(readFileSync(file, 'utf8'))

it.each(globSync('docs/{guides/*,errors,runbook}.md'))('has each id of %s once', (file) => {
  const ids = [...render(file).matchAll(/ id="(.*?)"/g)].map(([, id]) => id)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

it('finds a code under the heading of its table', () => {
  const page = { path: '/docs/errors', title: 'Errors', html: render('docs/errors.md') }
  expect(searchEntries(page).find(({ title }) => title === 'sold_out')).toMatchObject({
    place: 'Errors · Codes',
    path: '/docs/errors#sold_out',
  })
})
