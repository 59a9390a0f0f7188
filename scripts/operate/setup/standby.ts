/** Relayers whose keys stay offline until the key of another one is stolen. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Address } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import * as z from 'zod'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { writeLines } from '../../shell/files.ts'
import { openContract } from '../contract/delivery.ts'
import { type Network, parseNetwork, readNetworks } from '../contract/networks.ts'
import { attempt, connect } from '../contract/node.ts'
import { PLACEHOLDER, readSigners } from '../deploy/checks.ts'
import { report, type Setup } from './report.ts'

const STANDBY_RELAYERS = 2

const standbySchema = z.object({ TRANSFER_SIGNER_KEYS: z.string() })

/** Git ignores these files. */
const standbyFile = (environment: string) => `secrets.${environment}.standby.json`

/** Makes the keys of the standby relayers, unless there is a file of them. */
export async function createStandby({ environment }: Setup): Promise<void> {
  const file = standbyFile(environment.name)
  if (existsSync(file)) return
  const keys = Array.from({ length: STANDBY_RELAYERS }, generatePrivateKey)
  await writeLines(file, [JSON.stringify({ TRANSFER_SIGNER_KEYS: keys.join(',') }, null, 2)])
  report('standby', `keys of ${STANDBY_RELAYERS} relayers: written to ${file}`)
}

/** Why standby relayers are needed. */
const REASON =
  'If the key of a relayer is stolen, one of them takes over at once; a relayer that is added then waits for the delay of the contract.'

/** Returns the addresses of the relayers in the file; none if it was moved away. */
async function readStandby(environment: string): Promise<Address[]> {
  const file = standbyFile(environment)
  if (!existsSync(file)) return []
  try {
    const { TRANSFER_SIGNER_KEYS: keys } = standbySchema.parse(
      JSON.parse(await readFile(file, 'utf8')),
    )
    return readSigners(environment, keys).signers
  } catch {
    throw new CommandError(`${file} is not what the setup has written. Restore or delete it.`)
  }
}

/** Says how to deploy the contracts that are missing, and which ones have no standby relayers. */
export async function checkStandby(setup: Setup, signers: readonly Address[]): Promise<void> {
  const { name: environment } = setup.environment
  const standby = await readStandby(environment)
  if (standby.length > 0)
    setup.advise(
      `Move ${standbyFile(environment)} to a place that is offline once the contracts are deployed. It has the keys of the standby relayers, which never go to the Worker. ${REASON}`,
    )
  const relayers = [...signers, ...standby]
  for (const network of readableNetworks(environment)) {
    const { name, delivery } = network
    if (delivery) await adviseStandby(setup, network, signers)
    else if (relayers.length > 0)
      setup.demand(
        `Deploy the contract of ${name}: npm run contract -- deploy --network ${name} --env ${environment} --owner ADDRESS --guardian ADDRESS --relayer ${relayers.join(',')} --capacity PIECES --per-day PIECES. The owner is best a multi-signature wallet, the guardian another key that may only pause and retire.`,
      )
  }
}

/** Returns the networks whose settings can be read. The check of networks reports the others. */
function readableNetworks(environment: string): Network[] {
  try {
    return Object.entries(readNetworks(environment)).map(([name, settings]) =>
      parseNetwork(name, settings),
    )
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

async function adviseStandby(
  { environment, advise }: Setup,
  network: Network,
  signers: readonly Address[],
): Promise<void> {
  const { name, rpcUrls } = network
  if (PLACEHOLDER.test(rpcUrls.join())) return
  const relayers = await countRelayers(network).catch(returnCommandError)
  // The check of networks reports an error.
  if (typeof relayers === 'number' && relayers < Math.max(signers.length, 1) + STANDBY_RELAYERS)
    advise(
      `Add ${STANDBY_RELAYERS} standby relayers to the contract of ${name}, with keys that stay offline (npm run --silent keys -- relayer): npm run contract -- set-relayer --network ${name} --env ${environment.name} --relayer ADDRESS --capacity PIECES --per-day PIECES. ${REASON}`,
    )
}

/** Returns how many relayers may deliver, or will be allowed to. */
async function countRelayers(network: Network): Promise<number> {
  const { read, address } = await openContract(await connect(network), network)
  const reading = `Reading the relayers of ${address} on ${network.name}`
  const relayers = await attempt(reading, read.relayerList())
  const reads = Promise.all(relayers.map((relayer) => read.relayerLimit([relayer])))
  return (await attempt(reading, reads)).filter(
    ({ capacity, nextCapacity }) => capacity > 0n || nextCapacity > 0n,
  ).length
}
