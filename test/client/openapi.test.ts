import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import app from '../../src/app.ts'
import { doorsOf } from '../../src/http/door.ts'
import { documentOf } from '../../src/http/openapi/document.ts'

it('is a document that Redocly takes without a warning', async () => {
  const source = JSON.stringify(documentOf(doorsOf(app), 'https://marketplace.example'))
  // The API is not offered under a licence.
  const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } })
  const problems = await lintFromString({ source, config })
  expect(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})
