/** Runs `npm run dev` in a copy of the project, for a client. */
import { once } from 'node:events'
import { assertDocumented } from '../support/document.ts'
import { aFreePort, aProject, tokenIn } from '../support/project.ts'

export type Marketplace = Awaited<ReturnType<typeof aMarketplace>>

/** `variables`: more variables of the environment. */
export async function aMarketplace(variables: Record<string, string> = {}) {
  const project = await aProject()
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const environment = { ...ports, ...variables }
  const { process: dev, out } = await project.start('dev', 'Press Ctrl-C to stop', environment)
  return {
    folder: project.folder,
    url: `http://localhost:${ports.PORT}`,
    /** The local node. */
    rpcUrl: `http://127.0.0.1:${ports.RPC_PORT}`,
    /** The master token that `npm run dev` prints. */
    token: tokenIn(out),
    close: async () => {
      dev.kill('SIGINT')
      await once(dev, 'exit')
      await project.remove()
    },
  }
}

/** Sends a request. Rejects if the response does not match the OpenAPI document. */
export async function fetchDocumented(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  await assertDocumented(new Request(url, init), response.clone())
  return response
}

/** Returns `fetchDocumented` with the cookies of a browser. */
export function aBrowser() {
  const cookies = new Map<string, string>()
  return async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...cookies].map((cookie) => cookie.join('=')).join('; '))
    const response = await fetchDocumented(url, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return response
  }
}
