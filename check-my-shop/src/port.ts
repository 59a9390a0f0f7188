/** Ports of this machine. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { CommandError } from '../../client/src/cli/command.ts'

/** Opens a server on a port, or on a free one for 0. Returns the port. Throws a `CommandError`. */
export async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch(({ code }) => {
    throw new CommandError(`Port ${port} cannot be used: ${code}.`)
  })
  return (server.address() as AddressInfo).port
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOn(server, 0)
  server.close()
  await once(server, 'close')
  return port
}
