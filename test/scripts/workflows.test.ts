import { globSync, readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'

type Step = {
  uses?: string
  run?: string
  env?: Record<string, string>
  with?: Record<string, unknown>
}
type Job = {
  if?: string
  needs?: string | string[]
  uses?: string
  steps?: Step[]
  permissions?: Record<string, string>
}
type Workflow = {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const files = globSync('.github/workflows/*.yml').sort()
const read = (file: string) => parseYaml(readFileSync(file, 'utf8')) as Workflow
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps)

describe.each(files)('%s', (file) => {
  it('may only read the repository, except to make a release', () => {
    const { permissions, jobs } = read(file)
    expect(permissions).toEqual({ contents: 'read' })
    for (const [name, job] of Object.entries(jobs))
      if (name !== 'release') expect(job.permissions).toBeUndefined()
  })

  it('pins each action to a commit', () => {
    for (const { uses } of stepsOf(read(file)))
      if (uses) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/)
  })
})

it('backs production up each night, without the key that reads backups, for 30 days', () => {
  const { on, jobs } = read('.github/workflows/backup.yml')
  expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }])
  const { backup } = jobs
  expect(backup?.if).toBe("vars.BACK_UP_PRODUCTION == 'true'")
  const [command] = (backup?.steps ?? []).filter(({ run }) => run?.startsWith('npm run backup'))
  expect(command?.run).toContain('--remote --env production')
  expect(Object.keys(command?.env ?? {})).not.toContain('BACKUP_KEY')
  const uploaded = (backup?.steps ?? []).find(({ uses }) => uses?.includes('upload-artifact'))
  expect(uploaded?.with).toMatchObject({ path: 'production-*.age', 'retention-days': 30 })
})

it.each(['deploy', 'release'])('runs the checks before anything else: %s', (name) => {
  const { check, ...others } = read(`.github/workflows/${name}.yml`).jobs
  expect(check?.uses).toBe('./.github/workflows/check.yml')
  for (const [job, { needs }] of Object.entries(others))
    if (job === name) expect([needs].flat()).toContain('check')
})
