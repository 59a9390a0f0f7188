/** Verifies signatures of smart contract wallets by asking the chain. */
import { erc6492SignatureValidatorByteCode as bytecode, type Hex } from 'viem'
import { concatHex, encodeAbiParameters, hashMessage } from 'viem/utils'
import type { Network } from '../env.ts'
import { agree, askAll } from '../ethereum/node.ts'
import { inconclusive, view } from '../ethereum/requests.ts'
import { ApiError } from '../http/errors.ts'
import { log } from '../log.ts'

/** A message that a wallet is said to have signed (EIP-191). */
export type SignedMessage = { address: Hex; message: string; signature: Hex }

/** Of the constructor of the validator. viem's ABI of it would bring those of other contracts. */
const validatorArguments = [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }] as const

/**
 * Returns whether the contract at the address accepts the signature (EIP-1271), even if it is not
 * deployed yet (EIP-6492). The validator runs inside one `eth_call` and is not deployed. Every node
 * is asked, because one that lies could sign in as any contract. Throws `chain_unavailable`.
 */
export async function isSignedByContract(
  network: Pick<Network, 'chainId' | 'rpcUrls' | 'callsPerBatch' | 'callsPerSecond'>,
  { address, message, signature }: SignedMessage,
): Promise<boolean> {
  const args = encodeAbiParameters(validatorArguments, [address, hashMessage(message), signature])
  const request = view(undefined, concatHex([bytecode, args]))
  const replies = (await askAll(network, [request]))(request)
  // A contract may reject a signature by reverting.
  const isAccepted = agree(
    network,
    replies.map((reply) =>
      inconclusive(reply) ? null : 'result' in reply && reply.result === '0x01',
    ),
  )
  if (isAccepted !== null) return isAccepted
  log.error('contract_wallet_check_failed', { reason: replies.map(inconclusive).join(', ') })
  throw new ApiError('chain_unavailable', 'the chain does not respond: please try again')
}
