/** The documentation: buttons that copy programs, the search, and the requests of the reference. */
import { copy } from './copy.js'
import './samples.js'

/** Programs in several languages have a button already, and nobody copies what a program prints. */
for (const pre of document.querySelectorAll('.docs pre:not(.samples pre, output pre, .output)')) {
  const box = document.createElement('div')
  box.className = 'code-box'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button small'
  button.dataset.copySample = ''
  const label = document.createElement('span')
  label.textContent = 'Copy'
  const rest = document.createElement('span')
  rest.className = 'visually-hidden'
  rest.textContent = ' this text'
  button.append(label, rest)
  pre.before(box)
  box.append(pre, button)
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('[data-copy-sample]')
  if (!button) return
  const shown = [...button.parentElement.querySelectorAll('pre')].find((pre) => pre.offsetParent)
  const isCopied = await copy(shown.textContent, () => getSelection().selectAllChildren(shown))
  const label = button.firstChild
  label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
  setTimeout(() => {
    label.textContent = 'Copy'
  }, 2000)
})

/** A link of a time when one page had all operations leads on to that of the operation. */
const target = document.getElementById(location.hash.slice(1))
if (target?.matches('.operations li')) location.replace(target.querySelector('a').href)

const MAX_RESULTS = 20

const search = document.querySelector('.docs-search')
const field = search.querySelector('input')
const status = search.querySelector('[role="status"]')
const results = search.querySelector('ul')

/** What can be found. It is loaded when the field gets the focus. */
let entries
const load = () => {
  entries ??= fetch('/docs/search.json').then((response) => response.json())
  return entries
}

/** Lower numbers come first; `undefined` for what has not all the words. */
function rank({ title, place, words }, wanted) {
  const name = title.toLowerCase()
  const text = `${name} ${place.toLowerCase()} ${words}`
  if (!wanted.every((word) => text.includes(word))) return undefined
  if (name.startsWith(wanted.join(' '))) return 0
  return wanted.every((word) => name.includes(word) || place.toLowerCase().includes(word)) ? 1 : 2
}

async function show() {
  const wanted = field.value.toLowerCase().match(/\S+/g)
  const all = await load().catch(() => {
    entries = undefined
  })
  if (wanted?.join() !== field.value.toLowerCase().match(/\S+/g)?.join()) return
  const found = (wanted && all ? all : [])
    .map((entry) => ({ entry, order: rank(entry, wanted) }))
    .filter(({ order }) => order !== undefined)
    .sort((a, b) => a.order - b.order)
  results.replaceChildren(...found.slice(0, MAX_RESULTS).map(({ entry }) => resultOf(entry)))
  if (wanted && found.length === 0) {
    const none = document.createElement('li')
    none.textContent = all ? 'Nothing was found.' : 'The search could not be loaded.'
    results.append(none)
  }
  results.hidden = !wanted
  status.textContent = wanted ? `${found.length} found` : ''
}

function resultOf({ title, place, path }) {
  const item = document.createElement('li')
  const anchor = document.createElement('a')
  anchor.href = path
  const name = document.createElement('strong')
  name.textContent = title
  const where = document.createElement('span')
  where.className = 'hint'
  where.textContent = place
  anchor.append(name, where)
  item.append(anchor)
  return item
}

const close = () => {
  results.hidden = true
}

field.addEventListener('focus', load)
field.addEventListener('input', show)
search.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') {
    close()
    field.focus()
  } else if (event.key === 'Enter' && event.target === field) links[0]?.click()
  else if (step && !results.hidden) {
    event.preventDefault()
    const next = links.indexOf(document.activeElement) + step
    if (next < 0) field.focus()
    else links[Math.min(next, links.length - 1)]?.focus()
  }
})
// A link to this page leaves the results open.
results.addEventListener('click', close)
search.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !search.contains(relatedTarget)) close()
})
document.addEventListener('click', ({ target }) => {
  if (!search.contains(target)) close()
})
search.hidden = false

/** A link of the contents closes them. */
for (const nav of document.querySelectorAll('nav[popover]'))
  nav.addEventListener('click', ({ target }) => {
    if (target.closest('a') && nav.matches(':popover-open')) nav.hidePopover()
  })

if (document.querySelector('form.request')) import('./reference.js')
