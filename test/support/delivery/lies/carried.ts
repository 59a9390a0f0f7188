/** Which transactions carry a delivery key: those that were signed, and those that were mined. */

import type { TransactionSerializedEIP1559 } from 'viem'
import { parseTransaction, recoverTransactionAddress } from 'viem'
import type { Call } from './calls.ts'

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

/** Reads what is sent to nodes, and blocks from the next one on. `ask` asks the chain. */
export function aRecordOfCalls(ask: Ask) {
  const sent = new Map<string, Promise<Sent>>()
  const mined: { block: number; input: string }[] = []
  let height: Promise<number> | number = ask('eth_blockNumber').then(Number)

  return {
    readRequest(body: string) {
      if (!body.includes('eth_sendRawTransaction')) return
      const calls: Call[] = [JSON.parse(body)].flat()
      for (const { method, params } of calls) {
        const raw = `${params?.[0]}` as TransactionSerializedEIP1559
        if (method === 'eth_sendRawTransaction' && !sent.has(raw)) sent.set(raw, readSent(raw))
      }
    },
    async readBlocks() {
      const top = Number(await ask('eth_blockNumber'))
      for (let block = (await height) + 1; block <= top; block++) {
        const { transactions } = Object(
          await ask('eth_getBlockByNumber', `0x${block.toString(16)}`, true),
        )
        for (const { input } of transactions) mined.push({ block, input })
      }
      height = top
    },
    /** Returns the blocks that have transactions with a key. */
    blocksOf: (key: string): number[] =>
      mined.flatMap(({ block, input }) => (input.includes(key.slice(2)) ? block : [])),
    /** Returns the signers and nonces of the transactions with a key that were sent to a node. */
    async noncesOf(key: string): Promise<string[]> {
      const all = await Promise.all(sent.values())
      return [
        ...new Set(all.flatMap(({ raw, nonce }) => (raw.includes(key.slice(2)) ? nonce : []))),
      ]
    },
  }
}

/** `nonce`: the signer and its nonce. */
type Sent = { raw: string; nonce: string }

async function readSent(raw: TransactionSerializedEIP1559): Promise<Sent> {
  const signer = await recoverTransactionAddress({ serializedTransaction: raw })
  return { raw, nonce: `${signer} ${parseTransaction(raw).nonce}` }
}
