/** The sentences of scripts in the language of the page: `src/texts/` has them by the English ones. */
const translations = JSON.parse(document.body.dataset.texts ?? '{}')

/** Returns a sentence in the language of the page. `values` replace what is in braces. */
export const translate = (sentence, values = {}) =>
  (translations[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_, name) => values[name])

/** Returns why the API has refused something. Its messages are English, without capital letter and full stop. */
export const refusalOf = ({ code, error }) =>
  translations[code] ?? `${error.charAt(0).toUpperCase()}${error.slice(1)}.`
