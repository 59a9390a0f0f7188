/** Sends a form once, also after a double click. */

/** Milliseconds after which a form may be sent again, for people who have stopped the first try. */
const PAUSE = 10_000

/** Form → when it was sent, in milliseconds. */
const sentAt = new WeakMap()

addEventListener('submit', (event) => {
  if (event.defaultPrevented) return
  if (performance.now() - (sentAt.get(event.target) ?? -PAUSE) < PAUSE) event.preventDefault()
  else sentAt.set(event.target, performance.now())
})

// A page from the history of the browser is as it was left.
addEventListener('pageshow', () => {
  for (const form of document.forms) sentAt.delete(form)
})
