import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, it } from 'vitest'
import { document } from '../../support/document.ts'

it('finds nothing with `spectral:oas`', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({
    extends: [[rulesets.oas as spectral.RulesetDefinition, 'all']],
    rules: {
      // Each instance has its own operator, whose address no setting has.
      'contact-properties': 'off',
      // The licence has an SPDX identifier instead, and OpenAPI allows one of them.
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
