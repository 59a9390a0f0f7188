import { translate } from './texts.js'

/**
 * Asks for the page again while it is shown, and passes it to `show`, which returns whether it has
 * changed. Delays are in milliseconds, and grow from `first` to `last` while nothing changes.
 * `status` is the element for what is wrong.
 */
export function follow({ status, first, last, isLive = () => true, show }) {
  let delay = first
  let timer

  function schedule() {
    if (!isLive()) return
    timer = setTimeout(update, delay)
    delay = Math.min(delay * 1.2, last)
  }

  async function update() {
    clearTimeout(timer)
    if (document.hidden) return
    try {
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      // After the session has ended, the response is the sign-in page.
      if (response.redirected) {
        status.textContent = translate(
          'This page no longer updates, because you are signed out. Reload it.',
        )
        return
      }
      if (response.ok) {
        const page = new DOMParser().parseFromString(await response.text(), 'text/html')
        if (show(page)) delay = first
      }
      status.textContent = ''
    } catch {
      status.textContent = translate('There is no connection. This page updates when it is back.')
    }
    schedule()
  }

  // A hidden page does not ask. When it is shown again, other pages may have changed something.
  document.addEventListener('visibilitychange', update)
  schedule()
}
