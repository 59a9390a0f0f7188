/** Writes the translations to the static files, from which the Worker loads them. */
import { mkdir, writeFile } from 'node:fs/promises'
import type { Translation } from '../../src/texts/en.ts'
import { toTemplates } from '../../src/texts/templates.ts'
import { DEFAULT_LOCALE, languages } from '../../src/texts/texts.ts'
import { ASSETS } from './docs/write.ts'

const translated = Object.keys(languages).filter((language) => language !== DEFAULT_LOCALE)

/** By language, which is the name of the file and of what it exports. */
export const translations: Record<string, Translation> = Object.fromEntries(
  await Promise.all(
    translated.map(async (language) => {
      const { [language]: texts } = await import(`../../src/texts/${language}.ts`)
      return [language, texts] as const
    }),
  ),
)

export async function writeTexts(): Promise<void> {
  await mkdir(`${ASSETS}/texts`, { recursive: true })
  for (const [language, texts] of Object.entries(translations))
    await writeFile(`${ASSETS}/texts/${language}.json`, JSON.stringify(toTemplates(texts)))
}
