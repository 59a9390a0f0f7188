/** Shows new states of orders without a reload, until all have ended. */
import { follow } from './live.js'

const news = document.getElementById('news')

const history = () => document.getElementById('history')

function show(page) {
  const shown = history()
  const fresh = page.getElementById('history')
  const versions = new Map(rowsOf(shown).map(({ id, dataset }) => [id, dataset.version]))
  const changed = rowsOf(fresh).filter(({ id, dataset }) => versions.get(id) !== dataset.version)
  const { activeElement } = document
  const hasFocus = shown.contains(activeElement)
  // Replacing only updates times then, and would take the focus or the selected text away.
  if (changed.length === 0 && (hasFocus || !getSelection().isCollapsed)) return false
  shown.replaceWith(fresh)
  document.dispatchEvent(new Event('replaced'))
  if (hasFocus)
    fresh.querySelector(`a[href="${CSS.escape(activeElement.getAttribute('href'))}"]`)?.focus()
  if (changed.length > 0) news.textContent = changed.map(describe).join(' ')
  return changed.length > 0
}

/** The title and the last step that is not still to come. */
const describe = (row) =>
  `${row.querySelector('h2').textContent}: ${[...row.querySelectorAll('.steps li:not(.waits) strong')].at(-1).textContent}.`

const rowsOf = (element) => [...element.querySelectorAll('.order')]

follow({
  status: document.getElementById('live'),
  first: 1500,
  last: 30_000,
  isLive: () => history().dataset.live === 'true',
  show,
})
