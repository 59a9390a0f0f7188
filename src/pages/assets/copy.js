/** A button with `data-copy="<id>"` copies the text of that element. Without this script it is hidden. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
  const status = button.parentElement.querySelector('[role="status"]')
  button.hidden = false
  button.addEventListener('click', async () => {
    if (field.select) field.select()
    else getSelection().selectAllChildren(field)
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent)
      status.textContent = 'Copied.'
    } catch {
      status.textContent = 'Your browser blocked this. Copy the selected text yourself.'
    }
  })
}
