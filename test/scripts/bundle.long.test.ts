import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aProject, type Project } from '../support/project.ts'

let project: Project
beforeAll(async () => {
  project = await aProject()
})
afterAll(() => project.remove())

it('refuses a bundle with the control API of the local instance', async () => {
  const toml = join(project.folder, 'wrangler.toml')
  const text = await readFile(toml, 'utf8')
  await writeFile(toml, text.replace('src/worker.ts', 'scripts/local/worker-entry.ts'))
  const { errors, status } = await project.run('scripts/build/bundle.ts')
  expect(status).toBe(1)
  expect(errors).toContain('has the control API of the local instance')
})
