/** Ports of this machine. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Opens a server on a port, or on a free one for 0. Returns the port. */
export async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOn(server, 0)
  server.close()
  await once(server, 'close')
  return port
}
