import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { checkPort } from '../../../scripts/local/port.ts'
import { CommandError } from '../../../scripts/shell/command.ts'
import { aFreePort } from '../../support/project.ts'

it('names the variable that chooses another port if this one is in use', async () => {
  const port = Number(await aFreePort())
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  await expect(checkPort(port, 'PORT')).rejects.toEqual(
    new CommandError(
      `Port ${port} is in use. Stop the process that listens there, or choose another port: PORT=${port + 1} npm run dev`,
    ),
  )
  server.close()
})
