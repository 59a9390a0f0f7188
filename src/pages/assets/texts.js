/** The sentences of scripts in the language of the page: `src/texts/` has them by the English ones. */
const translations = JSON.parse(document.body.dataset.texts ?? '{}')

/** Returns a sentence in the language of the page. `values` replace what is in braces. */
export const translate = (sentence, values = {}) =>
  (translations[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_, name) => values[name])

/**
 * Returns why the API has refused something. Its messages are English, without capital letter and full stop: other
 * languages have a sentence for each code that says more than that something went wrong.
 */
export function refusalOf({ code, error }) {
  const isEnglish = !document.body.dataset.texts
  if (isEnglish && error) return `${error.charAt(0).toUpperCase()}${error.slice(1)}.`
  return translations[code] ?? translate('Something went wrong on our side: try again in a minute.')
}
