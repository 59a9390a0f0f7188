/** A minimal JSON-RPC client, without timeouts and retries. */

export type RpcCall = { method: string; params?: readonly unknown[] }

type Answer = { id: number; result?: unknown; error?: { code: number; message: string } }

/** Sends the calls as one batch. Returns the results in their order. Throws the first error. */
export async function rpcBatch(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, params: [], ...call }))),
  })
  const answers: Answer[] = await response.json()
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return calls.map(({ method }, id) => {
    const { result, error } = byId.get(id) ?? { error: { code: 0, message: 'no answer' } }
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  })
}

export async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const [result] = await rpcBatch(url, [{ method, params }])
  return result
}
