/** `npm run setup -- --env production`: from an empty Cloudflare account to a live marketplace. */
import { defineCommand, start } from '../shell/command.ts'
import { networkVariables } from '../shell/options.ts'
import { jurisdictions, locations } from './setup/place.ts'

export const command = defineCommand(
  {
    name: 'npm run setup',
    purpose:
      'Makes an environment live in your Cloudflare account: creates what is missing, and prints what is left to do by hand. Run it again after that: what is done stays as it is.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
      domain: { value: 'HOST', help: 'Where the marketplace is: a host in a zone of the account.' },
      'email-from': { value: 'ADDRESS', help: 'The sender of sign-in mails.' },
      'alarm-email': {
        value: 'ADDRESS',
        help: 'Who gets mails about alarms. Default: the administrators',
      },
      administrator: { value: 'ADDRESS', help: 'E-mail address of the first administrator.' },
      location: {
        value: 'REGION',
        help: `Where a new database is: ${Object.keys(locations).join(', ')}.`,
      },
      jurisdiction: {
        value: 'NAME',
        help: `Instead of it, where its data must stay: ${Object.keys(jurisdictions).join(', ')}.`,
      },
      'test-order': { help: 'Place an order on a testnet.' },
      'dry-run': { help: 'Only look, and print what would be done.' },
    },
    variables: {
      CLOUDFLARE_ACCOUNT_ID: 'Which account, if you have several.',
      CLOUDFLARE_API_TOKEN:
        'Instead of a login: a token that may edit Workers, D1, Queues and R2. Only with one, read replication is turned on.',
      TRANSFER_SIGNER_KEYS: 'Private keys of the relayers. Without it, a new relayer is made.',
      NETWORKS: networkVariables.NETWORKS,
    },
    example:
      'npm run setup -- --env staging --location weur --domain staging.example.com --email-from marketplace@example.com --administrator you@example.com --dry-run',
  },
  async ({ env, 'dry-run': isDryRun, ...options }) => {
    const { setUp } = await import('./setup/set-up.ts')
    await setUp(env, isDryRun, options)
  },
)

if (import.meta.main) await start(command)
