/** `npm run deploy -- --env production`: migrates the database, then replaces the Worker. */
import { defineCommand, start } from '../shell/command.ts'
import { networkVariables } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run deploy',
    purpose:
      'Checks configuration, account and contracts, migrates the database, then replaces the Worker.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
      'dry-run': { help: 'Only build.' },
      yes: { help: 'Migrate tables of more than a million rows without asking.' },
    },
    variables: {
      TRANSFER_SIGNER_KEYS: 'The secret of this name, to check that its accounts are relayers.',
      NETWORKS: networkVariables.NETWORKS,
    },
    example: 'npm run deploy -- --env production',
  },
  async ({ env, 'dry-run': isDryRun, yes }) => {
    const { deploy, tryDeployment } = await import('./deploy/deploy.ts')
    await (isDryRun ? tryDeployment(env) : deploy(env, yes))
  },
)

if (import.meta.main) await start(command)
