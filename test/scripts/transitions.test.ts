/** The states of deliveries: one file writes them, and the documents draw them. */
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { transitions } from '../../src/delivery/transitions.ts'

const WRITES = /(?:UPDATE|INTO|DELETE FROM) "?deliveries\b|\.(?:update|insert|delete)\(deliveries\)/

it('are written by one file', () => {
  const writers = globSync('src/**/*.{ts,tsx}').filter((path) =>
    WRITES.test(readFileSync(path, 'utf8')),
  )
  expect(writers).toEqual(['src/delivery/transitions.ts'])
})

it('change as the diagram in docs/architecture.md draws it', () => {
  const text = readFileSync('docs/architecture.md', 'utf8')
  const drawn = [...text.matchAll(/^ {2}(\w+) --> (\w+):/gm)].map(([, from, to]) => [from, to])
  const listed = Object.values(transitions).flatMap(({ from, to }) =>
    (from ?? []).flatMap((state) => (to === null || state === to ? [] : [[state, to]])),
  )
  const sorted = (pairs: readonly unknown[]) => [...new Set(pairs.map(String))].sort()
  expect(sorted(drawn)).toEqual(sorted(listed))
})
