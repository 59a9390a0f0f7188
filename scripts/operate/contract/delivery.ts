/** The Delivery contract, and the account that owns it. */
import { type Address, getContract, isHex, type LocalAccount, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import artifact from '../../../contracts/Delivery.json' with { type: 'json' }
import { deliveryAbi as abi } from '../../../contracts/delivery-abi.ts'
import { CommandError } from '../../shell/command.ts'
import type { Network } from './networks.ts'
import { attempt, deployCode, isContractError, type Node } from './node.ts'

export type Contract = ReturnType<typeof contractAt>

export const contractAt = (node: Node, address: Address) =>
  getContract({ address, abi, client: node })

/** Options of a write. The node says which chain it is. */
export const sendAs = (account: LocalAccount) => ({ account, chain: null })

/** Returns the account of DELIVERY_OWNER_KEY. The key is read from nowhere else. */
export function readOwner(): LocalAccount {
  const { DELIVERY_OWNER_KEY: key = '' } = process.env
  try {
    if (isHex(key) && key.length === 66) return privateKeyToAccount(key)
  } catch {
    // The key is zero or too large. The error of the library would print it.
  }
  throw new CommandError(
    'Set the environment variable DELIVERY_OWNER_KEY to the private key of the owner: 0x and 64 hexadecimal digits. Or use --print, but to deploy.',
  )
}

/** Pieces that an account may move at once, and that flow back to it in a day. */
export type Limit = { capacity: bigint; perDay: bigint }
type RelayerLimit = Limit & { relayer: Address }

export type Deployment = {
  /** A retired contract. Keys that were used there count as used. */
  predecessor?: Address | undefined
  /** Seconds after which a raise takes effect. Default: 0 */
  delay?: bigint
  /** The account that may only pause and retire. */
  guardian?: Address | undefined
  /** They may deliver at once. */
  relayers: readonly RelayerLimit[]
}

/** Returns what the constructor takes. */
export const constructorArguments = ({
  predecessor = zeroAddress,
  delay = 0n,
  guardian = zeroAddress,
  relayers,
}: Deployment) => [predecessor, delay, guardian, relayers] as const

/** Deploys a contract that belongs to `owner`. */
export async function deploy(
  node: Node,
  owner: LocalAccount,
  deployment: Deployment,
): Promise<Contract> {
  const args = constructorArguments(deployment)
  const address = await deployCode(node, owner, { abi, bytecode: artifact.bytecode, args })
  return contractAt(node, address)
}

/** Returns the address of the network's contract. Throws a `CommandError` if it has none. */
export function requireDelivery({ name, delivery }: Network): Address {
  if (delivery) return delivery
  throw new CommandError(
    `The network ${name} has no Delivery contract. Set \`delivery\` to the address that \`npm run contract -- deploy\` prints.`,
  )
}

/** Throws a `CommandError` if there is no Delivery contract at the address. */
export async function openContract(node: Node, network: Network): Promise<Contract> {
  const { name } = network
  const delivery = requireDelivery(network)
  if (!(await hasCode(node, delivery)))
    throw new CommandError(`There is no contract at ${delivery} on ${name}.`)
  const contract = contractAt(node, delivery)
  const reads = Promise.all([contract.read.MAX_ITEMS(), contract.read.generation()])
  await attempt(`Reading the contract at ${delivery} on ${name}`, reads).catch((error) => {
    if (!isContractError(error.cause)) throw error
    throw new CommandError(`The contract at ${delivery} on ${name} is not a Delivery contract.`)
  })
  return contract
}

/** Returns whether there is a contract at the address. */
export async function hasCode(node: Node, address: Address): Promise<boolean> {
  const code = await attempt(`Reading the code at ${address}`, node.getCode({ address }))
  return code !== undefined
}

/** The most contracts of a chain of predecessors. The constructor refuses more. */
export const MAX_GENERATION = 5

/** Returns the contract and those that it replaces, the newest first. */
export async function readLineage(node: Node, contract: Address): Promise<Address[]> {
  const lineage: Address[] = []
  for (let address = contract; address !== zeroAddress && lineage.length < MAX_GENERATION; ) {
    lineage.push(address)
    const { read } = contractAt(node, address)
    address = await attempt(`Reading the predecessor of ${address}`, read.predecessor())
  }
  return lineage
}
