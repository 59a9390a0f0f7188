/** Writes the translations to the static files, from which the Worker loads them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { de } from '../../src/texts/de.ts'
import type { Translation } from '../../src/texts/en.ts'
import { es } from '../../src/texts/es.ts'
import { fr } from '../../src/texts/fr.ts'
import { it } from '../../src/texts/it.ts'
import { toTemplates } from '../../src/texts/templates.ts'
import { ASSETS } from './docs/write.ts'

export const translations: Record<string, Translation> = { de, fr, es, it }

export async function writeTexts(): Promise<void> {
  await mkdir(`${ASSETS}/texts`, { recursive: true })
  for (const [language, texts] of Object.entries(translations))
    await writeFile(`${ASSETS}/texts/${language}.json`, JSON.stringify(toTemplates(texts)))
}
