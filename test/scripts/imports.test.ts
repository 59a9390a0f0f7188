/** What each folder of the Worker may import: a table in biome.json. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

type Override = { includes: string[]; linter?: { rules: { style: object } } }

it('is said for each file of each folder, and for those beside them', () => {
  const { overrides }: { overrides: Override[] } = JSON.parse(readFileSync('biome.json', 'utf8'))
  const patterns = overrides
    .filter(({ linter }) => linter && 'noRestrictedImports' in linter.rules.style)
    .flatMap(({ includes }) => includes)
  const files = globSync('src/**/*.{ts,tsx}')
  expect(files.length).toBeGreaterThan(200)
  const isListed = (file: string) => patterns.some((pattern) => path.matchesGlob(file, pattern))
  expect(files.filter((file) => !isListed(file))).toEqual([])
})
