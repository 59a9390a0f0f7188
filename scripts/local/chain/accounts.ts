/** The accounts that anvil funds. They come from the well-known test mnemonic. */
import { pbkdf2Sync } from 'node:crypto'
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** As BIP-39 derives it. In JavaScript that takes a third of a second. */
const root = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512'))

/** Returns anvil's account with this index, from 0. */
export const localAccount = (index: number): HDAccount =>
  hdKeyToAccount(root, { addressIndex: index })

/** Returns the private key of an account in the format of TRANSFER_SIGNER_KEYS. */
export function toPrivateKey(account: HDAccount): `0x${string}` {
  const { privateKey } = account.getHdKey()
  if (!privateKey) throw new Error('the account has no private key')
  return `0x${Buffer.from(privateKey).toString('hex')}`
}
