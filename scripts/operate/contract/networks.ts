/** The networks of an environment, as far as commands need them. */
import type { Address } from 'viem'
import * as z from 'zod'
import { json, networkFields } from '../../../src/env.ts'
import { WalletAddress } from '../../../src/identity/wallet-address.ts'
import { readRpcUrls } from '../../local/paths.ts'
import { CommandError } from '../../shell/command.ts'
import { readConfig } from '../cloudflare/environment.ts'
import '../../../src/http/validation.ts'

const { delivery, callsPerSecond } = networkFields.shape

const networkSchema = networkFields
  .omit({ name: true, explorerUrl: true, walletRpcUrl: true, nativeCurrency: true })
  .partial({ finality: true, maxFeePerGasGwei: true, maxPriorityFeePerGasGwei: true })
  .extend({
    /** The Delivery contract; undefined while the configuration has a placeholder. */
    delivery: delivery.optional().catch(undefined),
    callsPerSecond: callsPerSecond.unwrap().optional(),
  })

export type Network = z.infer<typeof networkSchema> & { name: string }

/** NETWORKS, an object or JSON. Each network is parsed when it is used. */
const networksSchema = json(z.record(z.string(), z.looseObject({})))

/** Returns the nodes that RPC_URL names, separated by commas. */
export const parseRpcUrls = (text: string): string[] =>
  text.split(',').flatMap((url) => url.trim() || [])

/**
 * Returns the settings of the networks of an environment: from wrangler.toml, or from the
 * environment variable NETWORKS if they are a secret. Without `environment`, those of the local
 * instance: there, NETWORKS, RPC_URL, RPC_PORT or what `npm run dev` has saved replace them.
 */
export function readNetworks(environment: string | undefined): Record<string, unknown> {
  const { NETWORKS, RPC_URL, RPC_PORT } = process.env
  const configured = readConfig(environment).vars.NETWORKS
  const isLocal = environment === undefined
  const networks = isLocal ? NETWORKS || configured : (configured ?? NETWORKS)
  const { success, data } = networksSchema.safeParse(networks)
  const local = RPC_PORT ? `http://127.0.0.1:${RPC_PORT}` : readRpcUrls()
  const rpcUrls = parseRpcUrls(RPC_URL || local)
  if (success && isLocal && rpcUrls.length > 0 && !NETWORKS && data.localhost)
    return { ...data, localhost: { ...data.localhost, rpcUrls } }
  if (success) return data
  throw new CommandError(
    'wrangler.toml has no NETWORKS for this environment. If they are a secret, set the environment variable NETWORKS to the same JSON.',
  )
}

/** Returns a network. Throws a `CommandError` if it is not configured or its settings are invalid. */
export function findNetwork(name: string, environment: string | undefined): Network {
  const networks = readNetworks(environment)
  if (!Object.hasOwn(networks, name))
    throw new CommandError(
      `There is no network "${name}". The networks are: ${Object.keys(networks).join(', ')}.`,
    )
  return parseNetwork(name, networks[name])
}

export function parseNetwork(name: string, settings: unknown): Network {
  const { success, data, error } = networkSchema.safeParse(settings)
  if (success) return { name, ...data }
  // Without values, because a URL may contain a key.
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new CommandError(`The settings of the network ${name} are invalid: ${problems.join('; ')}`)
}

/** Returns the names of the other environments that use the same contract on the same chain. */
export function findEnvironmentsSharing(
  { chainId, delivery }: Network,
  environment: string,
): string[] {
  const { definedEnvironments = [] } = readConfig(environment)
  const isSame = (settings: unknown) => {
    const { data } = networkSchema.safeParse(settings)
    return delivery !== undefined && data?.delivery === delivery && data.chainId === chainId
  }
  return [undefined, ...definedEnvironments]
    .filter((other) => other !== environment)
    .filter((other) => {
      const { data = {} } = networksSchema.safeParse(readConfig(other).vars.NETWORKS)
      return Object.values(data).some(isSame)
    })
    .map((other) => other ?? 'local development')
}

/** Parses the value of an option. Throws a `CommandError`. */
export function parseAddress(option: string, value = ''): Address {
  const { data, error } = WalletAddress.safeParse(value)
  if (data) return data
  throw new CommandError(`${option} ${error?.issues[0]?.message}: "${value}".`)
}
