/** Simulates the answers of a node that lags behind. */
export type Call = { jsonrpc: '2.0'; id: number; method: string; params?: unknown[] }
export type Answer = { jsonrpc: '2.0'; id: number; result?: unknown; error?: unknown }

/** Sends calls to the node as one batch. */
export type Forward = (calls: readonly Call[]) => Promise<Answer[]>

const hex = (value: number) => `0x${value.toString(16)}`

export async function heightOf(forward: Forward): Promise<number> {
  const [answer] = await forward([{ jsonrpc: '2.0', id: 0, method: 'eth_blockNumber', params: [] }])
  return Number(answer?.result)
}

/** Methods that read the state at a block, with the index of the parameter that names the block. */
const blockParameter: Record<string, number> = {
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBlockByNumber: 0,
}

type Located = { number?: string; blockNumber?: string } | null

/** Whether a result refers to a block after `height`. */
function isAfter(result: unknown, height: number): boolean {
  const { number, blockNumber } = (result ?? {}) as Exclude<Located, null>
  return Number(blockNumber ?? number ?? 0) > height
}

/**
 * Returns the call to forward, and a function that changes its answer to that of a node which has
 * no block after `height`.
 */
export function asOfBlock(call: Call, height: number) {
  const { id, method } = call
  const finish = (answer: Answer | undefined): Answer => {
    if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: hex(height) }
    if (!answer) return { jsonrpc: '2.0', id, error: { code: -32603, message: 'no answer' } }
    return isAfter(answer.result, height) ? { ...answer, result: null } : answer
  }
  const at = blockParameter[method]
  if (at === undefined) return { forward: call, finish }
  const params = [...(call.params ?? [])]
  const block = params[at]
  if (typeof block !== 'string' || !block.startsWith('0x')) params[at] = hex(height)
  return { forward: { ...call, params }, finish }
}
