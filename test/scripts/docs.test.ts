import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderMarkdown } from '../../scripts/build/docs/markdown.ts'
import { searchEntries } from '../../scripts/build/docs/search.ts'
import { renderSite } from '../../scripts/build/docs/site.tsx'

const render = (file: string) => renderMarkdown(readFileSync(file, 'utf8'))
const { fragments } = await renderSite()

const idsIn = (html: string) => [...html.matchAll(/ id="(.*?)"/g)].map(([, id]) => id)

it.each(Object.entries(fragments))('has each id of %s once', (_, html) => {
  const ids = idsIn(html)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

it.each(Object.entries(fragments))(
  'links from %s only to pages and ids that exist',
  (path, html) => {
    const hrefs = [...html.matchAll(/ href="(?:http:\/\/localhost:8787)?(\/docs.*?|#.*?)"/g)]
    const broken = hrefs.flatMap(([, href = '']) => {
      const [page = '', id] = href.split('#')
      const target = fragments[page.replace(/\.md$/, '') || path]
      const isFound = target !== undefined && (id === undefined || idsIn(target).includes(id))
      return isFound ? [] : href
    })
    expect(broken).toEqual([])
  },
)

it('serves the programs of a guide, which are files beside it', () => {
  expect(fragments['/docs/check-my-shop']).toContain('const server = createServer(')
})

it('finds a code under the heading of its table', () => {
  const page = { path: '/docs/errors', title: 'Errors', html: render('docs/errors.md') }
  expect(searchEntries(page).find(({ title }) => title === 'sold_out')).toMatchObject({
    place: 'Errors · Codes',
    path: '/docs/errors#sold_out',
  })
})
