/** Whether an environment is ready. Each function returns sentences about what is not. */
import { type Address, isHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { type Contract, openContract } from '../contract/delivery.ts'
import {
  findEnvironmentsSharing,
  type Network,
  parseNetwork,
  readNetworks,
} from '../contract/networks.ts'
import { attempt, connect } from '../contract/node.ts'
import { findFeeProblems } from './fees.ts'
import { findUnlinked, type UsedContracts } from './lineage.ts'

/** In the text or a value of wrangler.toml. */
export const PLACEHOLDER = /example\.com|"<|^</

/** Finds the lines of the environment in wrangler.toml that still have a placeholder. */
export function findPlaceholders(environment: string, toml: string): string[] {
  const lines = toml.split('\n')
  let section = ''
  const found = lines.flatMap((line, i) => {
    section = /^\[+([^\]]+)\]/.exec(line)?.[1] ?? section
    const isInEnvironment =
      section === `env.${environment}` || section.startsWith(`env.${environment}.`)
    return isInEnvironment && PLACEHOLDER.test(line) ? [`  ${i + 1}: ${line}`] : []
  })
  if (found.length === 0) return []
  return [`Replace the placeholders in these lines of wrangler.toml first:\n${found.join('\n')}`]
}

/** What the networks of an environment are checked against. */
export type Expected = {
  environment: string
  /** They have to be relayers. */
  signers: readonly Address[]
  used: UsedContracts
}

/**
 * Checks nodes, fees and Delivery contract of each network, whether the contract knows the keys of
 * those before it, and whether the signers are relayers.
 */
export async function findNetworkProblems(expected: Expected): Promise<string[]> {
  return collect(async () => {
    const networks = Object.entries(readNetworks(expected.environment))
    const checks = networks.map(([name, settings]) =>
      collect(() => checkNetwork(name, settings, expected)),
    )
    return (await Promise.all(checks)).flat()
  })
}

/** Returns the addresses of the value of TRANSFER_SIGNER_KEYS. A problem never contains a key. */
export function readSigners(
  environment: string,
  signerKeys: string | undefined,
): { signers: Address[]; problems: string[] } {
  if (!signerKeys) {
    const problem = `Set the environment variable TRANSFER_SIGNER_KEYS to the value that was passed to \`wrangler secret put TRANSFER_SIGNER_KEYS --env ${environment}\`. It is needed to check that the signers are relayers; Cloudflare does not return secrets.`
    return { signers: [], problems: [problem] }
  }
  const keys = signerKeys.split(',').map((key) => key.trim())
  const signers = keys.flatMap((key) =>
    isHex(key) && key.length === 66 ? [privateKeyToAddress(key)] : [],
  )
  const problem =
    'TRANSFER_SIGNER_KEYS must be private keys of 0x and 64 hexadecimal digits, separated by commas.'
  return { signers, problems: signers.length === keys.length ? [] : [problem] }
}

async function checkNetwork(
  name: string,
  settings: unknown,
  { environment, signers, used }: Expected,
): Promise<string[]> {
  const network = parseNetwork(name, settings)
  const { rpcUrls, delivery } = network
  if (PLACEHOLDER.test(rpcUrls.join()))
    return [`The network ${name} was not checked, because its rpcUrls have placeholders.`]
  const shared = findEnvironmentsSharing(network, environment).map(
    (other) =>
      `The contract ${delivery} of ${name} is also used by ${other}. Deploy one for each environment: the relayers of one could transfer the NFTs of the other.`,
  )
  const connections = rpcUrls.map((url) => connect({ ...network, rpcUrls: [url] }))
  const nodes = await Promise.all(connections.map((node) => node.catch(returnCommandError)))
  const failures = nodes.filter((node) => node instanceof CommandError)
  if (failures.length > 0) return [...shared, ...failures.map(({ message }) => message)]
  const node = await connect(network)
  return [
    ...shared,
    ...(await collect(() => findFeeProblems(network))),
    ...(await collect(async () => [
      ...(await checkRelayers(await openContract(node, network), network, environment, signers)),
      ...(await findUnlinked(node, network, used)),
    ])),
  ]
}

async function checkRelayers(
  { read, address }: Contract,
  { name }: Network,
  environment: string,
  signers: readonly Address[],
): Promise<string[]> {
  const reads = Promise.all(signers.map((signer) => read.relayerLimit([signer])))
  const limits = await attempt(`Reading the relayers of ${address} on ${name}`, reads)
  return signers
    .filter((_, i) => limits[i]?.capacity === 0n && limits[i]?.nextCapacity === 0n)
    .map(
      (signer) =>
        `The signer ${signer} is not a relayer of ${address} on ${name}. Add it: npm run contract -- set-relayer --network ${name} --env ${environment} --relayer ${signer} --capacity PIECES --per-day PIECES`,
    )
}

/** Returns the problems that a check finds, or the one that it throws. */
async function collect(check: () => Promise<string[]>): Promise<string[]> {
  const problems = await check().catch(returnCommandError)
  return problems instanceof CommandError ? [problems.message] : problems
}
