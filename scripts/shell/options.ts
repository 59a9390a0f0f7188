/** Options and environment variables that several commands have. */
import { UsageError } from './command.ts'

export const instanceOptions = {
  remote: { help: 'Of a deployed instance.' },
  env: { value: 'NAME', help: 'With --remote: which one.' },
} as const

export const instanceVariables = {
  MARKETPLACE_TOKEN: 'With --remote: a master token of the instance. Required.',
}

/** What `readNetworks` reads (`operate/contract/networks.ts`). */
export const networkVariables = {
  NETWORKS: 'The networks of the environment, if they are a secret: the same JSON.',
  RPC_URL: 'Without --env: nodes, separated by commas. Default: those of `npm run dev`',
  RPC_PORT: 'Without --env: the port of a node on this machine, in place of RPC_URL.',
}

/** Returns the environment that the options name; undefined for the local instance. */
export function parseInstance({ remote, env }: { remote: boolean; env?: string | undefined }) {
  if (remote && !env) throw new UsageError('--remote needs --env.')
  if (env && !remote) throw new UsageError('--env needs --remote.')
  return env
}
