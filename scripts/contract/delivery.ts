/** The Delivery contract, and the account that owns it. */
import { type Address, getAddress, getContract, isHex, type LocalAccount, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import artifact from '../../contracts/Delivery.json' with { type: 'json' }
import { deliveryAbi as abi } from '../../contracts/delivery-abi.ts'
import { CommandError } from '../shell/command.ts'
import type { Network } from './networks.ts'
import { attempt, confirm, isContractError, type Node } from './node.ts'

export type Contract = ReturnType<typeof contractAt>

export const contractAt = (node: Node, address: Address) =>
  getContract({ address, abi, client: node })

/** Options of a write. The node says which chain it is. */
export const sendAs = (account: LocalAccount) => ({ account, chain: null })

/** Returns the account of DELIVERY_OWNER_KEY. The key is read from nowhere else. */
export function readOwner(): LocalAccount {
  const { DELIVERY_OWNER_KEY: key = '' } = process.env
  if (isHex(key) && key.length === 66) return privateKeyToAccount(key)
  throw new CommandError(
    'Set the environment variable DELIVERY_OWNER_KEY to the private key of the owner: 0x and 64 hexadecimal digits.',
  )
}

/**
 * Deploys a contract that belongs to `owner`. Keys that were used in `predecessor`, a retired
 * contract, count as used.
 */
export async function deploy(
  node: Node,
  owner: LocalAccount,
  predecessor: Address = zeroAddress,
): Promise<Contract> {
  const { bytecode } = artifact
  if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
  const sent = node.deployContract({ abi, bytecode, args: [predecessor], ...sendAs(owner) })
  const { contractAddress } = await confirm(node, sent)
  if (!contractAddress) throw new Error('the receipt has no address')
  return contractAt(node, getAddress(contractAddress))
}

/** Throws a `CommandError` if there is no Delivery contract at the address. */
export async function openContract(node: Node, { name, delivery }: Network): Promise<Contract> {
  if (!delivery)
    throw new CommandError(
      `The network ${name} has no Delivery contract. Set \`delivery\` to the address that \`npm run contract -- deploy\` prints.`,
    )
  if (!(await hasCode(node, delivery)))
    throw new CommandError(`There is no contract at ${delivery} on ${name}.`)
  const contract = contractAt(node, delivery)
  const reads = Promise.all([contract.read.MAX_ITEMS(), contract.read.paused()])
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
