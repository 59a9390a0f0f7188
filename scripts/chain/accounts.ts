/** The accounts that anvil funds: those of the mnemonic that every local EVM node knows. */
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Account `index` of anvil's, from 0. */
export const localAccount = (index: number): HDAccount =>
  mnemonicToAccount(MNEMONIC, { addressIndex: index })

/** The private key of an account, as TRANSFER_SIGNER_KEY takes it. */
export function privateKeyOf(account: HDAccount): `0x${string}` {
  const { privateKey } = account.getHdKey()
  if (!privateKey) throw new Error('the account has no private key')
  return `0x${Buffer.from(privateKey).toString('hex')}`
}
