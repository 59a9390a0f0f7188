/** A button with `data-copy="<id>"` copies the text of that field. Without this script it is hidden. */

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
      ? 'Copied.'
      : 'Your browser blocked this. Copy the selected text yourself.'
  })
}
