/** The tokens of the demo that force outcomes, on a local chain. */
import { type Account, type Address, parseAbi } from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import artifact from '../../../contracts/OutcomeToken.json' with { type: 'json' }
import { contractAt } from '../../operate/contract/delivery.ts'
import { createNode } from '../../operate/contract/node.ts'
import { connectAs, hasContracts, MINT_LIMIT } from './collectibles.ts'

const abi = parseAbi(['constructor(address[] holders, address operator)'])

export type OutcomeTokens = { outcome: Address; limited: Address; burning: Address }

type Options = {
  /** A funded account. */
  deployer: Account
  /** The owner of the Delivery contract. */
  owner: Account
  delivery: Address
  /** The accounts that have pieces. The first one approves the Delivery contract. */
  holders: readonly Address[]
}

/** Deploys the tokens, and sets their limits in the Delivery contract. */
export async function deployOutcomeTokens(
  rpcUrl: string,
  { deployer, owner, delivery, holders }: Options,
): Promise<OutcomeTokens> {
  const chain = connectAs(rpcUrl, deployer)
  const deploy = () => chain.deploy(abi, artifact.bytecode, [holders, delivery])
  const tokens = { outcome: await deploy(), limited: await deploy(), burning: await deploy() }
  const { write } = connectAs(rpcUrl, owner)
  const limit = (token: Address, pieces: bigint) =>
    write(delivery, deliveryAbi, 'setTokenLimit', [token, pieces, pieces])
  await limit(tokens.outcome, MINT_LIMIT)
  await limit(tokens.limited, 0n)
  return tokens
}

/** Returns whether the tokens are there, with limits in this Delivery contract. */
export async function areReady(
  rpcUrl: string,
  { outcome, limited, burning }: OutcomeTokens,
  delivery: Address,
): Promise<boolean> {
  if (!(await hasContracts(rpcUrl, [outcome, limited, burning]))) return false
  const { isSet } = await contractAt(createNode([rpcUrl]), delivery).read.tokenLimit([limited])
  return isSet
}
