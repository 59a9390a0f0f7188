/** Shows new states of orders without a reload, until all have ended. */
const status = document.getElementById('live')
const news = document.getElementById('news')

/** Milliseconds between two requests. The delay grows while nothing changes. */
const FIRST_DELAY = 1500
const LAST_DELAY = 30_000

let delay = FIRST_DELAY
let timer

const history = () => document.getElementById('history')

function schedule() {
  if (history().dataset.live !== 'true') return
  timer = setTimeout(update, delay)
  delay = Math.min(delay * 1.2, LAST_DELAY)
}

async function update() {
  clearTimeout(timer)
  if (document.hidden) return
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    // After the session has ended, the response is the sign-in page.
    if (response.redirected) {
      status.textContent = 'This page no longer updates, because you are signed out. Reload it.'
      return
    }
    if (response.ok) show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    status.textContent = ''
  } catch {
    status.textContent = 'There is no connection. This page updates when it is back.'
  }
  schedule()
}

function show(page) {
  const shown = history()
  const fresh = page.getElementById('history')
  const versions = new Map(rowsOf(shown).map(({ id, dataset }) => [id, dataset.version]))
  const changed = rowsOf(fresh).filter(({ id, dataset }) => versions.get(id) !== dataset.version)
  const { activeElement } = document
  const hasFocus = shown.contains(activeElement)
  // Replacing only updates times then, and would take the focus or the selected text away.
  if (changed.length === 0 && (hasFocus || !getSelection().isCollapsed)) return
  shown.replaceWith(fresh)
  document.dispatchEvent(new Event('replaced'))
  if (hasFocus)
    fresh.querySelector(`a[href="${CSS.escape(activeElement.getAttribute('href'))}"]`)?.focus()
  if (changed.length === 0) return
  delay = FIRST_DELAY
  news.textContent = changed.map(describe).join(' ')
}

/** The title and the last step that is not still to come. */
const describe = (row) =>
  `${row.querySelector('h2').textContent}: ${[...row.querySelectorAll('.steps li:not(.waits) strong')].at(-1).textContent}.`

const rowsOf = (element) => [...element.querySelectorAll('.order')]

// A hidden page does not ask. When it is shown again, other pages may have changed something.
document.addEventListener('visibilitychange', update)
schedule()
