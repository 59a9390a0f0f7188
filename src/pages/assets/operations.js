/** Keeps a page for operators up to date, and says how old it is. */
import { follow } from './live.js'

/** Milliseconds between two requests: fewer after an action, whose effect follows, and after each change. */
const FIRST_DELAY = 1500
const LAST_DELAY = 15_000

const live = () => document.getElementById('live')

/** What somebody reads, answers or has chosen is not replaced. */
const isInUse = (shown) =>
  document.querySelector('dialog[open]') ||
  !getSelection().isCollapsed ||
  shown.querySelector('.column.shown')

function show(page) {
  const shown = live()
  const fresh = page.getElementById('live')
  if (!fresh || isInUse(shown)) return false
  const hasChanged = statesIn(fresh) !== statesIn(shown)
  const scrolled = keepState(shown, fresh)
  const focused = shown.contains(document.activeElement) ? counterpart(fresh) : null
  const anchor = [...shown.querySelectorAll('[id]')].find(
    (element) => element.getBoundingClientRect().top > 0,
  )
  const top = anchor?.getBoundingClientRect().top
  shown.replaceWith(fresh)
  for (const [element, position] of scrolled) element.scrollTop = position
  focused?.focus({ preventScroll: true })
  const moved = anchor && document.getElementById(anchor.id)
  if (moved && scrollY > 0) scrollBy(0, moved.getBoundingClientRect().top - top)
  document.dispatchEvent(new Event('replaced'))
  return hasChanged
}

const statesIn = (element) =>
  [...element.querySelectorAll('.badge, .notice')].map(({ textContent }) => textContent).join()

/** Copies open tables and checked boxes. Returns the scroll positions of the tables. */
function keepState(shown, fresh) {
  for (const { value } of shown.querySelectorAll('[name="id"]:checked')) {
    const box = fresh.querySelector(`[name="id"][value="${value}"]`)
    if (box) box.checked = true
  }
  const tables = [...fresh.querySelectorAll('details')]
  return [...shown.querySelectorAll('details')].flatMap((details, i) => {
    if (!tables[i]) return []
    tables[i].open = details.open
    return [[tables[i].querySelector('.scroll'), details.querySelector('.scroll').scrollTop]]
  })
}

/** Finds the element that stands for the focused one. */
function counterpart(fresh) {
  const element = document.activeElement
  for (const name of ['id', 'href', 'commandfor', 'value']) {
    const value = element.getAttribute(name)
    const found =
      value && fresh.querySelector(`${element.localName}[${name}="${CSS.escape(value)}"]`)
    if (found) return found
  }
  const index = [...live().querySelectorAll(element.localName)].indexOf(element)
  return fresh.querySelectorAll(element.localName)[index]
}

function showAge() {
  const time = live().querySelector('time')
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time.dateTime)) / 1000))
  time.textContent =
    seconds < 2
      ? 'just now'
      : seconds < 120
        ? `${seconds} s ago`
        : `${Math.floor(seconds / 60)} min ago`
}

follow({
  status: document.getElementById('live-status'),
  first: FIRST_DELAY,
  last: LAST_DELAY,
  show,
})
setInterval(showAge, 1000)
