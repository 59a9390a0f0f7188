import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'

it('is accepted by Redocly without a warning', async () => {
  const source = await readFile('docs/openapi.json', 'utf8')
  // The API has no licence.
  const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } })
  const problems = await lintFromString({ source, config })
  expect(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})
