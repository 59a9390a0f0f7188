/** The token of the reference. */
const byId = (id) => document.getElementById(id)

/** Sends the token in the field with the requests of the reference. */
export function useTokens(ui) {
  const field = byId('token')
  const status = byId('token-status')
  const copy = byId('copy-token')
  const use = () => {
    const token = field.value.trim()
    if (token) ui.preauthorizeApiKey('bearer', token)
    else ui.authActions.logout(['bearer'])
    copy.hidden = !token
  }
  field.addEventListener('input', () => {
    status.textContent = ''
    use()
  })
  byId('get-token')?.addEventListener('click', async () => {
    const response = await fetch('/docs/token', { method: 'POST' })
    if (response.status === 403) {
      location.href = '/sign-in/again?redirect=/docs'
      return
    }
    const { token, expiresAt, error } = await response.json()
    if (!response.ok) {
      status.textContent = `${error}.`
      return
    }
    field.value = token
    use()
    const time = new Date(expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    status.textContent = `This token acts as you until ${time}.`
  })
  copy.addEventListener('click', async () => {
    field.select()
    await navigator.clipboard.writeText(field.value.trim())
    status.textContent = 'Copied. In a terminal: export TOKEN=<paste>'
  })
  byId('authorization').hidden = false
}
