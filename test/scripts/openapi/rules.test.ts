/** The rules of public linters for OpenAPI documents. */

import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, it } from 'vitest'
import { document } from '../../support/document.ts'

it('finds nothing with `recommended-strict` of Redocly', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // The API has no licence.
      'info-license': 'off',
    },
  })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})

it('finds nothing with `spectral:oas`', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({
    extends: [[rulesets.oas as spectral.RulesetDefinition, 'all']],
    rules: {
      // Each instance has its own operator, and the API has no licence.
      'info-contact': 'off',
      'info-license': 'off',
      'license-url': 'off',
      // The tags are in the order in which a shop needs them.
      'openapi-tags-alphabetical': 'off',
    },
  })
  const problems = await linter.run(JSON.stringify(document))
  expect(
    problems.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`),
  ).toEqual([])
})
