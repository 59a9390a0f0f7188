/** `npm run contract`: deploys a Delivery contract, shows its state and sets its relayers. */
import { type Address, getAddress, type Hash, isAddress } from 'viem'
import { findHoldings, findMissingApprovals } from './contract/approvals.ts'
import {
  type Contract,
  deploy,
  hasCode,
  openContract,
  readOwner,
  sendAs,
} from './contract/delivery.ts'
import { findNetwork, type Network } from './contract/networks.ts'
import { attempt, confirm, connect } from './contract/node.ts'
import { describeContract } from './contract/status.ts'
import { openMigratedDatabase } from './database/local.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { CommandError, parseInteger, parseOptions, runCommand } from './shell/command.ts'

const USAGE = `usage: npm run contract -- <action> --network N [--env E]
  deploy [--predecessor ADDRESS]               deploy a contract, or the successor of a retired one
  status [--remote]                            show its state, and who has not approved it
  add-relayer --relayer ADDRESS [--per-day N]  add a relayer or change its daily limit (10000 items)
  remove-relayer --relayer ADDRESS             remove a relayer
  pause | unpause                              stop deliveries, or allow them again
  retire                                       stop deliveries permanently
All but status need the private key of the owner in the environment variable DELIVERY_OWNER_KEY.`

/** The contract stores daily limits as uint32. */
const MAX_PER_DAY = 2 ** 32 - 1

const OPTIONS = {
  network: { type: 'string' },
  env: { type: 'string' },
  predecessor: { type: 'string' },
  relayer: { type: 'string' },
  'per-day': { type: 'string', default: '10000' },
  remote: { type: 'boolean', default: false },
} as const

await runCommand(async () => {
  const [action = '', ...args] = process.argv.slice(2)
  const options = parseOptions(OPTIONS, USAGE, args)
  if (!options.network) throw new CommandError(USAGE)
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
    default:
      throw new CommandError(USAGE)
  }
})

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

function parseAddress(option: string, value = ''): Address {
  if (isAddress(value)) return getAddress(value)
  throw new CommandError(`${option} must be an address, not "${value}".`)
}
