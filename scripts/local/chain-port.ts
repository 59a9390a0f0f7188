/**
 * The port of the local chain. It forwards to anvil, and answers a call that sends a transaction once
 * the transaction is in a block: a program that sees no receipt yet waits for a block after it, which
 * may never come.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { listen } from './port.ts'

/** The methods `eth_sendTransaction` and `eth_sendRawTransaction`, also within a batch. */
const SENDS = /"eth_send(Raw)?Transaction"/

type Chain = {
  /** URL of anvil. */
  rpcUrl: string
  /** Mines what waits, and resolves then. */
  mine: () => Promise<void>
}

/** Opens the port, on each address of `localhost`. */
export async function openChainPort(port: number, { rpcUrl, mine }: Chain): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming)
    const { method, rawHeaders: headers } = incoming
    const upstream = request(rpcUrl, { agent, method, headers }, async (answer) => {
      if (SENDS.test(body.toString())) await mine()
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    upstream.end(body)
  }
  const create = () =>
    createServer((incoming, outgoing) => {
      handle(incoming, outgoing).catch(() => outgoing.destroy())
    }).on('upgrade', (incoming, socket, head) => tunnel(rpcUrl, incoming, { socket, head }))
  await listen(create, port, 'RPC_PORT')
}

/** Connects a WebSocket to anvil. Its transactions are mined soon after the answer. */
function tunnel(
  rpcUrl: string,
  { method, url, rawHeaders }: IncomingMessage,
  { socket, head }: { socket: NodeJS.ReadWriteStream; head: Buffer },
): void {
  const { hostname, port } = new URL(rpcUrl)
  const upstream: Socket = connect(Number(port), hostname)
  const lines = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 ? `${name}: ${rawHeaders[i + 1]}` : [],
  )
  upstream.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
  upstream.write(head)
  upstream.pipe(socket).pipe(upstream)
  upstream.on('error', () => socket.end())
  socket.on('error', () => upstream.destroy())
}
