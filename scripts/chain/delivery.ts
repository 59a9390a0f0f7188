/** The Delivery contract on a local chain. */
import type { Address, LocalAccount } from 'viem'
import { deploy, sendAs } from '../contract/delivery.ts'
import { confirm, createNode } from '../contract/node.ts'

/** Items in a day: the largest limit that the contract can store. */
const NO_LIMIT = 2 ** 32 - 1

type DeployOptions = {
  /** The accounts that may deliver, as much as they like. */
  relayers: readonly Address[]
}

/** Deploys the contract from the account of its owner, and returns its address. */
export async function deployDelivery(
  rpcUrl: string,
  owner: LocalAccount,
  { relayers }: DeployOptions,
): Promise<Address> {
  const node = createNode([rpcUrl])
  const contract = await deploy(node, owner)
  for (const relayer of relayers)
    await confirm(node, contract.write.setRelayer([relayer, NO_LIMIT], sendAs(owner)))
  return contract.address
}
