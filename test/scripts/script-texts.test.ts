/** The sentences of the scripts of pages, which `src/texts/` has in other languages. */
import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { scriptTexts } from '../../src/texts/en.ts'

const FOLDER = 'src/pages/assets'

it('has each sentence that a script translates, and no other', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.js'))
  const scripts = await Promise.all(names.map((name) => readFile(`${FOLDER}/${name}`, 'utf8')))
  const sentences = scripts.flatMap((script) =>
    [...script.matchAll(/translate\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, sentence]) => sentence),
  )
  expect([...new Set(sentences)].sort()).toEqual([...scriptTexts].sort())
})
