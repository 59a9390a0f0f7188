/** `npm run dev`: runs a local chain and the Worker on this machine. It needs no account anywhere. */
import { defineCommand, start } from '../shell/command.ts'
import { LOCAL_CHAIN_ID } from './chain/chain-id.ts'

export const command = defineCommand(
  {
    name: 'npm run dev',
    purpose:
      'Runs the marketplace on this machine, with a chain and demo data. Ctrl-C stops it. The data is kept in .wrangler/state.',
    options: {
      fresh: { help: 'Delete the data first.' },
      advance: {
        value: 'DURATION',
        help: 'Move the clock of the running marketplace forward, as in 90s, 10m, 25h or 6d.',
      },
    },
    variables: {
      PORT: 'Port of the marketplace. Default: 8787',
      RPC_PORT: 'Port of the chain (anvil). Default: 8545',
      RPC_URL: `Nodes to use instead of anvil, with chain id ${LOCAL_CHAIN_ID}, separated by commas.`,
    },
    example: 'PORT=8788 RPC_PORT=8546 npm run dev -- --fresh',
  },
  async ({ fresh, advance }) => {
    if (advance !== undefined) {
      const { callAdvance } = await import('./call.ts')
      return callAdvance(advance)
    }
    const { runLocally } = await import('./run.ts')
    await runLocally({ isFresh: fresh })
  },
)

if (import.meta.main) await start(command)
