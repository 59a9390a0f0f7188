/** Addresses of wallets and contracts, as requests have them. */
import { getAddress, isAddress } from 'viem/utils'
import { inputText } from '../http/inputs.ts'
import { toLine } from '../http/text.ts'

/** An address with the checksum of EIP-55, or with letters of one case. Returns the checksum. */
export const EthereumAddress = inputText(100, 'must be an address')
  .overwrite((text) => toLine(text).replace(/^0X/, '0x'))
  .refine((text) => !/^[a-z0-9-]+:0x/i.test(text), {
    error: 'must be an address without the name of a chain, such as `eth:`',
    abort: true,
  })
  .regex(/^0x[\da-fA-F]{40}$/, { error: 'must be an address', abort: true })
  .refine((text) => /^0x[\dA-F]+$/.test(text) || isAddress(text), 'has a wrong checksum (EIP-55)')
  .transform((text) => getAddress(text))

/**
 * Whether nobody can own an address: zero, which the precompile `ecrecover` returns for a broken
 * signature, and the addresses up to 0xffff, which are kept for precompiles.
 */
export const isUnowned = (address: string): boolean => BigInt(address) <= 0xffffn

export const WalletAddress = EthereumAddress.refine((address) => !isUnowned(address), {
  error: 'must not be the zero address or a precompile, which nobody owns',
})
