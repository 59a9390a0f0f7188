import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('fails when forge does, so that `npm test` fails when a test of the contracts does', async () => {
  const forge = promisify(execFile)(process.execPath, ['contracts/forge.js', 'no-such-command'])
  await expect(forge).rejects.toMatchObject({ code: 2 })
})
