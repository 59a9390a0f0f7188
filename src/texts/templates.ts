/**
 * Translations as static files: JSON in which a function of texts is its sentence, with the numbers of its
 * values as in `⟨0⟩`.
 */

/** An array where elements stand in the sentence. */
type Sentence = string | readonly unknown[]
/** `one`: what is said if the first value is 1, where that differs. */
type Template = { one?: Sentence; other: Sentence }

/** The key of a template. No text has this name. */
const TEMPLATE = '()'

const fillText = (text: string, values: readonly unknown[]): string =>
  text.replace(/⟨(\d)⟩/g, (_, i) => String(values[Number(i)]))

const fill = (sentence: Sentence, values: readonly unknown[]): Sentence =>
  typeof sentence === 'string'
    ? fillText(sentence, values)
    : sentence.map((part) => {
        const [, i] = /^⟨(\d)⟩$/.exec(String(part)) ?? []
        return i === undefined ? fillText(String(part), values) : values[Number(i)]
      })

/** Returns texts as JSON can have them. Functions are called, those with a number also for one. */
export function toTemplates(value: unknown): unknown {
  if (typeof value === 'string') return value
  if (typeof value !== 'function')
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([key, part]) => [key, toTemplates(part)]),
    )
  const [, ...others] = Array.from({ length: value.length }, (_, i) => `⟨${i}⟩`)
  const [one, other] = [1, '⟨0⟩'].map((first): Sentence => value(first, ...others))
  if (one === undefined || other === undefined) throw new Error('a function has no text')
  const shown = (sentence: Sentence) => [fill(sentence, [1, ...others])].flat().map(String)
  const isAlike = JSON.stringify(shown(other)) === JSON.stringify(shown(one))
  return { [TEMPLATE]: isAlike ? { other } : { one, other } }
}

/** Returns what `toTemplates` was given. */
export function fromTemplates(value: unknown): unknown {
  if (typeof value === 'string') return value
  const template: Template | undefined = Reflect.get(Object(value), TEMPLATE)
  if (!template)
    return Object.fromEntries(
      Object.entries(Object(value)).map(([key, part]) => [key, fromTemplates(part)]),
    )
  const { one, other } = template
  return (...values: readonly unknown[]) =>
    fill(values[0] === 1 && one !== undefined ? one : other, values)
}
