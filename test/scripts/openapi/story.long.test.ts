import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { tellStory } from '../../../scripts/openapi/story.ts'
import { document } from '../../support/document.ts'

const MINUTES = 60_000

it('gives the examples of the document again, byte by byte', { timeout: 6 * MINUTES }, async () => {
  const stored = await readFile('scripts/openapi/examples.json', 'utf8')
  expect(await tellStory(document.paths)).toBe(stored)
})
