/** Signatures of contract wallets: EIP-1271, and EIP-6492 for those that are not deployed yet. */
import { type Address, erc6492SignatureValidatorByteCode as bytecode, type Hex } from 'viem'
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  hashMessage,
  isErc6492Signature,
  padHex,
  parseErc6492Signature,
} from 'viem/utils'
import { contractCode, hex, inconclusive, type Replies, read, view } from './requests.ts'

/** A message that a wallet is said to have signed (EIP-191). */
export type SignedMessage = { address: Address; message: string; signature: Hex }

const abi = [
  {
    ...{ type: 'function', name: 'isValidSignature', stateMutability: 'view' },
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'bytes4' }],
  },
] as const
/** What a contract returns for a signature that it accepts (EIP-1271). */
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right', size: 32 })
/** Of the constructor of the validator. viem's ABI of it would bring those of other contracts. */
const validatorArguments = [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }] as const

/** Returns the signature without its factory (EIP-6492); null if it is malformed. */
function unwrap(signature: Hex): Hex | null {
  try {
    return parseErc6492Signature(signature).signature
  } catch {
    return null
  }
}

/**
 * Returns what to ask a node, and how to read whether the contract accepts the signature; null for a signature
 * that is malformed. A contract that is deployed is asked itself: the call of a factory could change it.
 */
export function contractSignature({ address, message, signature }: SignedMessage) {
  const hash = hashMessage(message)
  const unwrapped = unwrap(signature)
  if (!unwrapped) return null
  const args = [hash, unwrapped] as const
  const code = contractCode(address)
  const byContract = view(
    address,
    encodeFunctionData({ abi, functionName: 'isValidSignature', args }),
  )
  // The validator runs inside one `eth_call` and is not deployed.
  const validator = encodeAbiParameters(validatorArguments, [address, hash, signature])
  const byFactory = isErc6492Signature(signature)
    ? view(undefined, concatHex([bytecode, validator]))
    : null
  return {
    requests: [code, byContract, ...(byFactory ? [byFactory] : [])],
    /** Null: the node does not tell. A contract may reject a signature by reverting. */
    isAccepted: (replies: Replies): boolean | null => {
      const deployed = read(hex, replies(code))
      if (deployed === null) return null
      const [asked, accepted] =
        deployed === '0x' ? ([byFactory, '0x01'] as const) : ([byContract, ACCEPTED] as const)
      if (!asked) return false
      const reply = replies(asked)
      if (inconclusive(reply)) return null
      return 'result' in reply && reply.result === accepted
    },
  }
}
