/** Wallets that are contracts: the chain itself is asked whether a signature is theirs. */
import {
  erc6492SignatureValidatorAbi as abi,
  erc6492SignatureValidatorByteCode as bytecode,
  type Hex,
} from 'viem'
import { encodeDeployData, hashMessage } from 'viem/utils'
import * as z from 'zod'
import type { Network } from '../env.ts'
import { ApiError } from '../http/errors.ts'

/** The most a sign-in waits for a node, in milliseconds. */
const PATIENCE = 5000

const Answer = z.union([
  z.object({ result: z.string() }),
  z.object({ error: z.object({ code: z.int(), message: z.string() }) }),
])

/**
 * Whether the contract at the address accepts the signature (EIP-1271), also when it is yet to be
 * deployed (EIP-6492). The validator's code runs within one `eth_call`, and is deployed nowhere.
 * Throws `chain_unavailable`.
 */
export async function isSignedByContract(
  { rpcUrl }: Pick<Network, 'rpcUrl'>,
  { address, message, signature }: { address: Hex; message: string; signature: Hex },
): Promise<boolean> {
  const args = [address, hashMessage(message), signature] as const
  const answer = await ethCall(rpcUrl, encodeDeployData({ abi, bytecode, args })).catch(unavailable)
  if ('result' in answer) return answer.result === '0x01'
  // A wallet may refuse a signature by reverting (EIP-1474: 3 is "execution error").
  if (answer.error.code === 3 || /revert/i.test(answer.error.message)) return false
  return unavailable(answer.error.message)
}

async function ethCall(rpcUrl: string, data: Hex) {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ data }, 'latest'],
    }),
    signal: AbortSignal.timeout(PATIENCE),
  })
  return Answer.parse(await response.json())
}

function unavailable(reason: unknown): never {
  console.error({ event: 'contract_wallet_unchecked', reason: String(reason) })
  throw new ApiError('chain_unavailable', 'the chain does not answer: please try again')
}
