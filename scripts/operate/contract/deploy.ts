/** `npm run contract -- deploy`. */
import { type Address, encodeDeployData } from 'viem'
import { deliveryAbi as abi } from '../../../contracts/delivery-abi.ts'
import { LOCAL_CHAIN_ID } from '../../local/chain/chain-id.ts'
import { CommandError, parseInteger } from '../../shell/command.ts'
import { type ChangeOptions, parseLimit } from './changes.ts'
import {
  constructorArguments,
  type Deployment,
  deploy,
  hasCode,
  MAX_GENERATION,
  openContract,
  readOwner,
  sendAs,
} from './delivery.ts'
import { type Network, parseAddress } from './networks.ts'
import { attempt, confirm, connect, type Node } from './node.ts'

const DEFAULT_HOURS = '24'
const MAX_HOURS = 24 * 30

type Options = ChangeOptions & {
  predecessor?: string
  delay?: string
  guardian?: string
  print: boolean
}

/** Deploys a contract and prints its address. */
export async function deployContract(network: Network, options: Options): Promise<void> {
  const { name } = network
  if (options.print)
    throw new CommandError(
      'A deployment cannot be printed. Deploy with a new key, and pass the address of your wallet as --owner.',
    )
  const deployment = parseDeployment(network, options)
  const nextOwner = parseOptional('--owner', options.owner)
  const named = parseOptional('--predecessor', options.predecessor)
  const deployer = readOwner()
  const node = await connect(network)
  const predecessor = await findPredecessor(node, network, named)
  const linked = { ...deployment, predecessor }
  const { address, write } = await deploy(node, deployer, linked)
  console.log(`Deployed a contract of ${deployer.address}. Set this for the network ${name}:`)
  console.log(`delivery = "${address}"`)
  const args = encodeDeployData({ abi, bytecode: '0x', args: constructorArguments(linked) })
  console.log(`To verify its source, the arguments of the constructor are ${args}`)
  if (nextOwner) {
    await confirm(node, write.transferOwnership([nextOwner], sendAs(deployer)))
    console.log(`It belongs to ${nextOwner} once this account has run accept-ownership.`)
  }
}

function parseDeployment({ chainId }: Network, options: Options): Deployment {
  const { delay = chainId === LOCAL_CHAIN_ID ? '0' : DEFAULT_HOURS, relayer = '' } = options
  const hours = parseInteger('--delay', delay, 0, MAX_HOURS)
  const guardian = parseOptional('--guardian', options.guardian)
  if (hours > 0 && !guardian)
    throw new CommandError(
      'Pass --guardian: a thief of the owner key takes the ownership at once, and only a guardian can stop the contract before the delay is over.',
    )
  return {
    delay: BigInt(hours) * 3600n,
    guardian,
    // Without any, nothing could be delivered for the delay.
    relayers: relayer.split(',').map((text) => ({
      relayer: parseAddress('--relayer', text.trim()),
      ...parseLimit(options, 1),
    })),
  }
}

const parseOptional = (option: string, value: string | undefined): Address | undefined =>
  value === undefined ? undefined : parseAddress(option, value)

/**
 * Returns the contract that a new one has to replace: the one that is named, or that of the network.
 * Throws a `CommandError` if the new one could not know which keys were used.
 */
async function findPredecessor(
  node: Node,
  network: Network,
  named: Address | undefined,
): Promise<Address | undefined> {
  const { name, delivery } = network
  const current = delivery && (await hasCode(node, delivery)) ? delivery : undefined
  const predecessor = named ?? current
  if (!predecessor) return undefined
  if (current && current !== predecessor)
    throw new CommandError(
      `${name} has the contract ${current}. A contract that replaces another one would not know which keys that one used.`,
    )
  const { read } = await openContract(node, { ...network, delivery: predecessor })
  const reads = Promise.all([read.retired(), read.generation()])
  const [isRetired, generation] = await attempt(`Reading the contract at ${predecessor}`, reads)
  if (!isRetired)
    throw new CommandError(`The contract at ${predecessor} is not retired. Retire it first.`)
  if (generation >= MAX_GENERATION)
    throw new CommandError(
      `The contract at ${predecessor} is the fifth of its chain, and no sixth can be deployed: each one makes deliveries dearer.`,
    )
  return predecessor
}
