/** Shows the wallet that the phone has proved, without a reload. */
import { follow } from './live.js'

const shown = () => document.getElementById('phone')

function show(page) {
  const fresh = page.getElementById('phone')
  if (!fresh || fresh.dataset.state === shown().dataset.state) return false
  shown().replaceWith(fresh)
  document.getElementById('news').textContent = fresh.querySelector('h1').textContent
  return true
}

follow({
  status: document.getElementById('live'),
  first: 1500,
  last: 5000,
  isLive: () => ['waiting', 'taken'].includes(shown().dataset.state),
  show,
})
