/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import { defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run --silent keys',
    purpose:
      'Prints a new value for a secret, and nothing else; for a relayer also its address, for backups also the public key, as an error message.',
    actions: {
      jwt: 'A value of JWT_KEYS.',
      delivery: 'A value of DELIVERY_KEY_SECRET.',
      codes: 'A value of CODE_KEYS, with which codes of NFTs are encrypted.',
      relayer: 'A value of TRANSFER_SIGNER_KEYS: the private key of a new account.',
      backup: 'A value of BACKUP_KEY, with which backups are read.',
    },
    example: 'npm run --silent keys -- jwt > jwt-keys.json',
  },
  async (_, action) => {
    const { printKey } = await import('./keys/print.ts')
    await printKey(action)
  },
)

if (import.meta.main) await start(command)
