import { afterAll, beforeAll, expect, it } from 'vitest'
import { aProject, type Project } from '../support/project.ts'

let project: Project

beforeAll(async () => {
  project = await aProject()
})

afterAll(() => project.remove())

it('does not deploy while the configuration has placeholders, and prints their lines', async () => {
  const { errors, status } = await project.run('deploy', ['--env', 'staging'])
  expect(status).toBe(1)
  expect(errors).toMatch(
    /^Replace the placeholders in these lines of wrangler\.toml first:\n {2}\d+: PUBLIC_URL/,
  )
  expect(errors).toContain('wrangler d1 create marketplace-staging')
})

it.each(['staging', 'production'])('has a complete configuration for %s', async (environment) => {
  const { out, status } = await project.run('deploy', ['--env', environment, '--dry-run'])
  expect(status).toBe(0)
  for (const binding of ['DB', 'AVATARS', 'TRANSFERS', 'IMAGES', 'EMAIL', 'RATE_LIMIT', 'NETWORKS'])
    expect(out).toMatch(new RegExp(`env\\.${binding}\\b`))
})
