/** Ports of this machine. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { CommandError } from '../shell/command.ts'

/** Throws a `CommandError` that names the variable if another process listens on the port. */
export async function checkPort(port: number, variable: string): Promise<void> {
  for (const server of await listen(() => createServer(), port, variable)) {
    server.close()
    await once(server, 'close')
  }
}

/** Starts a server for each address of `localhost`. Throws a `CommandError` if the port is in use. */
export async function listen(
  create: () => Server,
  port: number,
  variable: string,
): Promise<Server[]> {
  const servers: Server[] = []
  for (const host of ['127.0.0.1', '::1']) {
    const server = create().listen(port, host)
    try {
      await once(server, 'listening')
      servers.push(server)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // This machine has no IPv6.
      if (host === '::1' && code !== 'EADDRINUSE') continue
      throw new CommandError(
        `Port ${port} ${code === 'EADDRINUSE' ? 'is in use. Stop the process that listens there, or' : `cannot be opened (${code}):`} choose another port: ${variable}=${port + 1} npm run dev`,
      )
    }
  }
  return servers
}
