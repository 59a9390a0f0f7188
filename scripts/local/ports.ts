import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from '../shell/command.ts'

/** Throws a failure that names the variable to set when something listens on the port. */
export async function checkFree(port: number, variable: string): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    throw new Failure(
      `Port ${port} is taken. Stop what listens there, or choose another: ${variable}=${port + 1} npm run dev`,
    )
  }
  server.close()
  await once(server, 'close')
}
