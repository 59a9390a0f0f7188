/** Code samples: all show the same language, which the browser remembers. `docs.js` copies them. */
const KEY = 'language'

/** The language that was chosen last; null if there is none, or the browser stores nothing. */
function chosenLanguage() {
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

for (const button of document.querySelectorAll('[data-copy-sample]')) button.hidden = false
const language = chosenLanguage()
if (language) showLanguage(language)
