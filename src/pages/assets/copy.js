/** A button with `data-copy="<id>"` copies the text of that field. Without this script it is hidden. */

import { translate } from './texts.js'

/** Copies a text, or selects its element for the person to copy. Returns whether it was copied. */
export async function copy(text, select) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    select()
    return false
  }
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
  const status = button.parentElement.querySelector('[role="status"]')
  button.hidden = false
  button.addEventListener('click', async () => {
    field.select()
    status.textContent = (await copy(field.value, () => field.select()))
      ? translate('Copied.')
      : translate('Your browser blocked this. Copy the selected text yourself.')
  })
}

/** A text with `data-copy-text` gets a button that copies it. */
for (const text of document.querySelectorAll('[data-copy-text]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy-text'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy ${text.parentElement.textContent.trim()}`)
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(text)
    const copied = await navigator.clipboard.writeText(text.textContent).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Selected'
  })
  text.after(' ', button)
}
