/** Code samples: all show the same language, which the browser remembers, and can be copied. */
const KEY = 'language'

/** The language that was chosen last; null if there is none, or the browser stores nothing. */
export function chosenLanguage() {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

function showLanguage(language) {
  for (const input of document.querySelectorAll('.samples input'))
    input.checked = input.value === language
}

document.addEventListener('change', ({ target }) => {
  if (!target.matches('.samples input')) return
  showLanguage(target.value)
  try {
    localStorage.setItem(KEY, target.value)
  } catch {
    // The choice holds for this page.
  }
})

document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('[data-copy-sample]')
  if (!button) return
  const shown = [...button.parentElement.querySelectorAll('pre')].find((pre) => pre.offsetParent)
  const label = button.lastChild.previousSibling ?? button.lastChild
  try {
    await navigator.clipboard.writeText(shown.textContent)
    label.textContent = 'Copied'
  } catch {
    getSelection().selectAllChildren(shown)
    label.textContent = 'Press Ctrl+C'
  }
  setTimeout(() => {
    label.textContent = 'Copy'
  }, 2000)
})

for (const button of document.querySelectorAll('[data-copy-sample]')) button.hidden = false
const language = chosenLanguage()
if (language) showLanguage(language)
