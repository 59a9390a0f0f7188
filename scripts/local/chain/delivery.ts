/** The Delivery contract on a local chain. */
import type { Address, LocalAccount } from 'viem'
import { deploy } from '../../operate/contract/delivery.ts'
import { createNode } from '../../operate/contract/node.ts'
import { LOCAL_CHAIN_ID } from './chain-id.ts'

/** Pieces: more than anybody orders. */
const NO_LIMIT = { capacity: 2n ** 40n, perDay: 2n ** 40n }

/**
 * Deploys the contract from the account of its owner, and returns its address. The relayers may
 * deliver as much as they like.
 */
export async function deployDelivery(
  rpcUrl: string,
  owner: LocalAccount,
  relayers: readonly Address[],
): Promise<Address> {
  const limits = relayers.map((relayer) => ({ relayer, ...NO_LIMIT }))
  const { address } = await deploy(createNode([rpcUrl]), owner, { relayers: limits })
  return address
}

/** Returns the value of NETWORKS for one local chain. */
export const localNetworks = (
  rpcUrls: readonly string[],
  delivery: Address,
  settings: object,
): string =>
  JSON.stringify({
    localhost: {
      chainId: LOCAL_CHAIN_ID,
      rpcUrls,
      delivery,
      finality: 1,
      maxFeePerGasGwei: 500,
      maxPriorityFeePerGasGwei: 50,
      ...settings,
    },
  })
