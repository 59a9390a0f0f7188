/** `npm run contract`: deploys a Delivery contract, shows its state and sets its relayers. */
import type { Hash } from 'viem'
import { findHoldings, findMissingApprovals } from './contract/approvals.ts'
import {
  type Contract,
  deploy,
  hasCode,
  openContract,
  readOwner,
  sendAs,
} from './contract/delivery.ts'
import { findNetwork, type Network, parseAddress } from './contract/networks.ts'
import { attempt, confirm, connect } from './contract/node.ts'
import { describeContract } from './contract/status.ts'
import { openMigratedDatabase } from './database/local.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { CommandError, defineCommand, parseInteger, start } from './shell/command.ts'

/** The contract stores daily limits as uint32. */
const MAX_PER_DAY = 2 ** 32 - 1

export const command = defineCommand(
  {
    name: 'npm run contract',
    purpose: 'Deploys a Delivery contract, shows its state, or changes it as its owner.',
    actions: {
      deploy: 'Deploy a contract, or the successor of a retired one.',
      status: 'Show its state, and who has not approved it. Needs no key.',
      'add-relayer': 'Add a relayer, or change its daily limit.',
      'remove-relayer': 'Remove a relayer.',
      pause: 'Stop deliveries.',
      unpause: 'Allow deliveries again.',
      retire: 'Stop deliveries permanently.',
    },
    options: {
      network: { type: 'string', value: 'NAME', required: true, help: 'Network in wrangler.toml.' },
      env: { type: 'string', value: 'NAME', help: 'Environment in wrangler.toml. Default: local' },
      predecessor: { type: 'string', value: 'ADDRESS', help: 'deploy: the retired contract.' },
      relayer: {
        type: 'string',
        value: 'ADDRESS',
        help: 'add-relayer, remove-relayer: the relayer.',
      },
      'per-day': {
        type: 'string',
        value: 'N',
        default: '10000',
        help: 'add-relayer: items that it may deliver in a day.',
      },
      remote: {
        type: 'boolean',
        default: false,
        help: 'status: read the listings of the deployed database of --env.',
      },
    },
    variables: { DELIVERY_OWNER_KEY: 'Private key of the owner. All actions but status need it.' },
    example:
      'npm run contract -- add-relayer --network ethereum --env production --relayer 0x… --per-day 3000',
  },
  (options, action) => {
    const network = findNetwork(options.network, options.env)
    const parseRelayer = () => parseAddress('--relayer', options.relayer)
    switch (action) {
      case 'deploy':
        return deployContract(network, options.predecessor)
      case 'status':
        return showStatus(network, options)
      case 'add-relayer': {
        const relayer = parseRelayer()
        const perDay = parseInteger('--per-day', options['per-day'], 1, MAX_PER_DAY)
        return change(network, ({ write }, from) => write.setRelayer([relayer, perDay], from))
      }
      case 'remove-relayer': {
        const relayer = parseRelayer()
        return change(network, ({ write }, from) => write.setRelayer([relayer, 0], from))
      }
      case 'pause':
        return change(network, ({ write }, from) => write.pause(from))
      case 'unpause':
        return change(network, ({ write }, from) => write.unpause(from))
      case 'retire':
        return change(network, ({ write }, from) => write.retire(from))
    }
  },
)

async function deployContract(network: Network, predecessorOption: string | undefined) {
  const owner = readOwner()
  const node = await connect(network)
  const predecessor =
    predecessorOption === undefined ? undefined : parseAddress('--predecessor', predecessorOption)
  const { name, delivery } = network
  if (delivery && delivery !== predecessor && (await hasCode(node, delivery)))
    throw new CommandError(
      `${name} already has a contract at ${delivery}. A second one would not know which keys it used. To replace it, retire it and deploy with --predecessor ${delivery}.`,
    )
  if (predecessor) {
    const { read } = await openContract(node, { ...network, delivery: predecessor })
    if (!(await attempt(`Reading the contract at ${predecessor}`, read.retired())))
      throw new CommandError(`The contract at ${predecessor} is not retired. Retire it first.`)
  }
  const { address } = await deploy(node, owner, predecessor)
  console.log(`Deployed a contract of ${owner.address}. Set this for the network ${name}:`)
  console.log(`delivery = "${address}"`)
}

async function showStatus(network: Network, { env, remote }: { env?: string; remote: boolean }) {
  if (remote && !env) throw new CommandError('--remote needs --env.')
  const node = await connect(network)
  const contract = await openContract(node, network)
  for (const line of await describeContract(node, contract)) console.log(line)
  if (env && !remote)
    return console.log(`approvals    not checked: --remote reads the listings of ${env}`)

  const holdings = await readHoldings(network, env)
  const missing = await findMissingApprovals(node, contract.address, holdings)
  console.log(`approvals    ${missing.length} of ${holdings.length} missing`)
  for (const { token, holder } of missing)
    console.log(`  ${holder} has not approved the contract for ${token}`)
}

/** Reads the database of an environment, or the local one. */
async function readHoldings(network: Network, environment: string | undefined) {
  const now = new Date()
  if (environment) return findHoldings(openRemoteDatabase(environment), network, now)
  const { db, close } = await openMigratedDatabase()
  try {
    return await findHoldings(db, network, now)
  } finally {
    await close()
  }
}

/** Sends one transaction of the owner, then shows the state of the contract. */
async function change(
  network: Network,
  send: (contract: Contract, from: ReturnType<typeof sendAs>) => Promise<Hash>,
) {
  const owner = readOwner()
  const node = await connect(network)
  const contract = await openContract(node, network)
  const { transactionHash } = await confirm(node, send(contract, sendAs(owner)))
  console.log(`transaction  ${transactionHash}`)
  for (const line of await describeContract(node, contract)) console.log(line)
}

if (import.meta.main) await start(command)
