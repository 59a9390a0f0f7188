/** The accounts that anvil funds. They come from the well-known test mnemonic. */
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Returns anvil's account with this index, from 0. */
export const localAccount = (index: number): HDAccount =>
  mnemonicToAccount(MNEMONIC, { addressIndex: index })

/** Returns the private key of an account in the format of TRANSFER_SIGNER_KEYS. */
export function toPrivateKey(account: HDAccount): `0x${string}` {
  const { privateKey } = account.getHdKey()
  if (!privateKey) throw new Error('the account has no private key')
  return `0x${Buffer.from(privateKey).toString('hex')}`
}
