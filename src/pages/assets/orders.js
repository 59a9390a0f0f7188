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
  if (hasFocus)
    fresh.querySelector(`a[href="${CSS.escape(activeElement.getAttribute('href'))}"]`)?.focus()
  if (changed.length > 0) news.textContent = changed.map(({ dataset }) => dataset.news).join(' ')
  return changed.length > 0
}

const rowsOf = (element) => [...element.querySelectorAll('.order')]

follow({
  status: document.getElementById('live'),
  first: 1500,
  last: 30_000,
  isLive: () => history().dataset.live === 'true',
  show,
})
