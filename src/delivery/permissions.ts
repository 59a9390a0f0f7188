/** Whether the Delivery contracts may deliver what a seller offers. */
import { getAddress, isAddress } from 'viem'
import type { fulfilments } from '../db/schema/catalogue.ts'
import type { Network, Settings } from '../env.ts'
import { usableNodes } from '../ethereum/node.ts'
import { inconclusive } from '../ethereum/requests.ts'
import type { Replies } from '../ethereum/rpc.ts'
import { permissionRequest, word } from '../ethereum/token.ts'

/** Milliseconds that a node has for all its answers. */
const TIMEOUT = 3_000

/** A token contract, by the name of its network, and how its NFTs are delivered. */
export type SoldContract = {
  network: string
  contract: string
  fulfilment: (typeof fulfilments)[number]
}

export type Permission =
  /** `not_needed`: the marketplace holds the NFTs. */
  { is: 'allowed' | 'missing' | 'not_needed' } | { is: 'unknown'; reason: string }

/** Adds the permission of a holder to each contract. Asks one node of each network, and once. */
export async function readPermissions<Contract extends SoldContract>(
  { NETWORKS }: Pick<Settings, 'NETWORKS'>,
  holder: string,
  contracts: readonly Contract[],
): Promise<(Contract & { permission: Permission })[]> {
  const groups = [...Map.groupBy(contracts, ({ network }) => network)]
  const answered = groups.map(async ([name, group]) => {
    const asked = group.map((contract) => toRequest(NETWORKS[name], holder, contract))
    const requests = asked.flatMap((request) => ('is' in request ? [] : request))
    const replies = await ask(NETWORKS[name], requests)
    return group.map((contract, i) => {
      const request = asked[i] ?? unknown('it was not asked')
      const permission = 'is' in request ? request : toPermission(replies(request))
      return { ...contract, permission }
    })
  })
  return (await Promise.all(answered)).flat()
}

const unknown = (reason: string): Permission => ({ is: 'unknown', reason })

/** Returns the question to the chain, or the answer if there is none to ask. */
function toRequest(
  network: Network | undefined,
  holder: string,
  { contract, fulfilment }: SoldContract,
): ReturnType<typeof permissionRequest> | Permission {
  const isMint = fulfilment === 'mint'
  if (!network) return unknown('its network is not configured')
  if (!isAddress(contract, { strict: false })) return unknown('its address is not valid')
  if (network.treasury && !isMint) return { is: 'not_needed' }
  if (isMint) return permissionRequest(getAddress(contract), network.delivery)
  if (!isAddress(holder, { strict: false })) return unknown('no wallet is linked')
  return permissionRequest(getAddress(contract), network.delivery, getAddress(holder))
}

function toPermission(reply: ReturnType<Replies>): Permission {
  const answer = word(reply)
  if (answer !== null) return { is: answer === 0n ? 'missing' : 'allowed' }
  return unknown(inconclusive(reply) ?? 'the contract does not tell')
}

/** Gives up after `TIMEOUT`, also if the node's limit of calls delays them. */
async function ask(network: Network | undefined, requests: ReturnType<typeof permissionRequest>[]) {
  const unanswered: Replies = () => ({ fault: 'the node did not answer in time' })
  const [node] = network && requests.length > 0 ? usableNodes({ ...network, timeout: TIMEOUT }) : []
  if (!node) return unanswered
  const timeout = new Promise<Replies>((resolve) => setTimeout(resolve, TIMEOUT, unanswered))
  return Promise.race([node.rpc(requests), timeout])
}
