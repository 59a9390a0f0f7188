/** Programs that the guides show. Each is a file for each language in `assets/samples/`. */
import { readFile } from 'node:fs/promises'
import { Icon } from '../../src/pages/components/icon.tsx'

const languages = { sh: 'curl', ts: 'TypeScript', py: 'Python' } as const
type Language = keyof typeof languages

export type Programs = Record<Language, string>

const SAMPLES = 'src/pages/assets/samples'

/** Reads a program in every language. */
export async function readPrograms(name: string): Promise<Programs> {
  const read = async (language: Language) =>
    (await readFile(`${SAMPLES}/${name}.${language}`, 'utf8')).trimEnd()
  const [sh, ts, py] = await Promise.all([read('sh'), read('ts'), read('py')])
  return { sh, ts, py }
}

type SampleProps = { id: string; label: string; programs: Programs }

/** Shows one language at a time. `samples.js` remembers which, and shows the button that copies. */
export const Sample = ({ id, label, programs }: SampleProps) => (
  <fieldset class="samples">
    <legend class="visually-hidden">{label}: language</legend>
    {(Object.keys(languages) as Language[]).map((language, i) => (
      <>
        <input
          type="radio"
          class="visually-hidden"
          id={`${id}-${language}`}
          name={id}
          value={language}
          checked={i === 0}
        />
        <label for={`${id}-${language}`}>{languages[language]}</label>
      </>
    ))}
    <button class="button small" type="button" data-copy-sample hidden>
      <Icon name="copy" />
      Copy<span class="visually-hidden"> the program</span>
    </button>
    {(Object.keys(languages) as Language[]).map((language) => (
      <Code>{programs[language]}</Code>
    ))}
  </fieldset>
)

/** Code that scrolls in its own box, with the keyboard if it has the focus. */
export const Code = ({ children }: { children: string }) => (
  <pre class="code" tabindex={0}>
    <code>{children}</code>
  </pre>
)
