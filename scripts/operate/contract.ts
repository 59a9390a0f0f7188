/** `npm run contract`: deploys a Delivery contract, shows its state, audits it, and changes it. */
import { defineCommand, start, UsageError } from '../shell/command.ts'
import { networkVariables } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run contract',
    purpose: 'Deploys a Delivery contract, shows its state, audits it, or changes it as its owner.',
    actions: {
      deploy: 'Deploy a contract. It replaces the one of the network, which must be retired.',
      status: 'Show state, limits and what cannot be delivered. Needs no key.',
      audit: 'List the keys that were used and that this instance did not order. Needs no key.',
      'set-relayer': 'Add a relayer, or change its limit.',
      'remove-relayer': 'Remove a relayer.',
      'set-token-limit': 'Limit how much of a token all relayers move. Mints need it.',
      'hand-over':
        'Give a token contract that the contract owns to another owner: announce it, then do it.',
      'transfer-ownership': 'Name the next owner of the contract.',
      'accept-ownership': 'Become the owner of the contract, as the next owner.',
      pause: 'Stop deliveries.',
      unpause: 'Allow deliveries again.',
      retire: 'Stop deliveries permanently.',
    },
    options: {
      network: { value: 'NAME', required: true, help: 'Network in wrangler.toml.' },
      env: { value: 'NAME', help: 'Environment in wrangler.toml. Default: local' },
      predecessor: {
        value: 'ADDRESS',
        help: 'deploy: the retired contract. Default: that of the network',
      },
      delay: {
        value: 'HOURS',
        help: 'deploy: until a raised limit takes effect. Default: 24, on a local chain 0',
      },
      guardian: { value: 'ADDRESS', help: 'deploy: the account that may only pause and retire.' },
      relayer: {
        value: 'ADDRESS',
        help: 'set-relayer, remove-relayer: the relayer. deploy: all, separated by commas.',
      },
      token: { value: 'ADDRESS', help: 'set-token-limit, hand-over: the token contract.' },
      capacity: {
        value: 'N',
        help: 'deploy, set-relayer, set-token-limit: pieces that may be moved at once.',
      },
      'per-day': { value: 'N', help: 'The same: pieces that flow back in a day.' },
      owner: {
        value: 'ADDRESS',
        help: 'deploy, transfer-ownership: the next owner of the contract. hand-over: of the token.',
      },
      print: {
        help: 'Print the transaction for a multi-signature wallet instead of sending it. Needs no key.',
      },
      'from-block': { value: 'N', help: 'audit: the first block.' },
      'to-block': { value: 'N', help: 'audit: the last block. Default: the newest' },
      remote: { help: 'status, audit: read the deployed database of --env.' },
    },
    variables: {
      DELIVERY_OWNER_KEY:
        'Private key of the owner; for pause and retire also of the guardian. Not for status, audit and --print.',
      ...networkVariables,
    },
    example:
      'npm run contract -- set-relayer --network ethereum --env production --relayer 0x… --capacity 500 --per-day 3000',
  },
  async (options, action) => {
    if (options.remote && !options.env) throw new UsageError('--remote needs --env.')
    const { runAction } = await import('./contract/actions.ts')
    await runAction(action, options)
  },
)

if (import.meta.main) await start(command)
