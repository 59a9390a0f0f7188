/** Buttons with `data-copy="<id>"` copy the text of that field. Without this script they stay hidden. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
  const status = button.parentElement.querySelector('[role="status"]')
  button.hidden = false
  button.addEventListener('click', async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(field.value)
      status.textContent = 'Copied.'
    } catch {
      status.textContent = 'The browser does not allow it: copy the selected text yourself.'
    }
  })
}
