/** The reference: requests that carry a token. Without it, all can be read. */
const byId = (id) => document.getElementById(id)

/** A link to an operation opens it. */
function openTarget() {
  const operation = byId(location.hash.slice(1))?.closest('.operation')
  if (!operation) return
  operation.open = true
  operation.scrollIntoView()
}
addEventListener('hashchange', openTarget)
openTarget()

/** Returns the request that a form describes. */
function requestOf({ dataset: { method, path }, elements }) {
  const inputs = [...elements].filter(({ name, value }) => name && value !== '')
  const valuesIn = (place) =>
    inputs.flatMap(({ name, value, dataset }) => (dataset.in === place ? [[name, value]] : []))
  const values = Object.fromEntries(valuesIn('path'))
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]))
  const query = new URLSearchParams(valuesIn('query'))
  const headers = new Headers(valuesIn('header'))
  const token = byId('token').value.trim()
  if (token) headers.set('authorization', `Bearer ${token}`)
  const body = inputs.find(({ name }) => name === 'body')
  const { type, part } = body?.dataset ?? {}
  let content = body?.files?.[0] ?? body?.value
  if (part) {
    content = new FormData()
    content.set(part, body.files[0])
  } else if (type) headers.set('content-type', type)
  return new Request(query.size > 0 ? `${url}?${query}` : url, { method, headers, body: content })
}

/** Returns the text of a body, with JSON on several lines. */
async function textOf(response) {
  if (response.headers.get('content-type')?.startsWith('image/')) return 'A picture.'
  const text = await response.text()
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

for (const form of document.querySelectorAll('form.request')) {
  form.querySelector('button[type="submit"]').hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const output = form.querySelector('output')
    const status = document.createElement('p')
    const body = document.createElement('pre')
    body.className = 'code'
    body.tabIndex = 0
    try {
      const sentAt = performance.now()
      const response = await fetch(requestOf(form))
      body.textContent = await textOf(response)
      const milliseconds = Math.round(performance.now() - sentAt)
      status.textContent = `Status ${response.status}, ${milliseconds} ms`
    } catch (error) {
      status.textContent = `Not sent: ${error.message}`
    }
    output.replaceChildren(status, body)
  })
}

const token = byId('token')
const tokenStatus = byId('token-status')
const copyToken = byId('copy-token')
token.addEventListener('input', () => {
  tokenStatus.textContent = ''
  copyToken.hidden = !token.value
})
byId('get-token').addEventListener('click', async () => {
  const response = await fetch('/docs/token', { method: 'POST' })
  // Nobody is signed in, or the sign-in is too long ago.
  const page = { 401: '/sign-in', 403: '/sign-in/again' }[response.status]
  if (page) {
    location.href = `${page}?redirect=${encodeURIComponent(location.pathname + location.hash)}`
    return
  }
  const { token: issued, expiresAt, error } = await response.json()
  if (!response.ok) {
    tokenStatus.textContent = `${error}.`
    return
  }
  token.value = issued
  copyToken.hidden = false
  const time = new Date(expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  tokenStatus.textContent = `This token acts as you until ${time}.`
})
copyToken.addEventListener('click', async () => {
  token.select()
  await navigator.clipboard.writeText(token.value.trim())
  tokenStatus.textContent = 'Copied. In a terminal: export TOKEN=<paste>'
})
byId('authorization').hidden = false
