import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { document } from '../../support/document.ts'

it('finds nothing with `recommended-strict` of Redocly', async () => {
  // As text, because TypeScript takes seconds to check an object. The address is that of
  // `npm run dev`. The rule of paths ignores methods: only PUT has by-number/{providerId}, and only
  // POST {order_id}/cancel.
  const config = await createConfig(
    'extends: [recommended-strict]\nrules: {no-server-example.com: off, no-ambiguous-paths: off}',
  )
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})
