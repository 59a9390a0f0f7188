/** Whether the Delivery contracts may deliver what a seller offers. */
import { getAddress, isAddress, zeroAddress } from 'viem'
import type { fulfilments } from '../db/schema/catalogue.ts'
import type { Network, Settings } from '../env.ts'
import { agree, askAll } from '../ethereum/node.ts'
import { inconclusive } from '../ethereum/requests.ts'
import type { Reply } from '../ethereum/rpc.ts'
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

/** Adds the permission of a holder to each contract. Asks all nodes of each network, and once. */
export async function readPermissions<Contract extends SoldContract>(
  { NETWORKS }: Pick<Settings, 'NETWORKS'>,
  holder: string,
  contracts: readonly Contract[],
): Promise<(Contract & { permission: Permission })[]> {
  const groups = [...Map.groupBy(contracts, ({ network }) => network)]
  const answered = groups.map(async ([name, group]) => {
    const network = NETWORKS[name]
    if (!network)
      return group.map((contract) => ({
        ...contract,
        permission: unknown('its network is not configured'),
      }))
    const asked = group.map((contract) => toRequest(network, holder, contract))
    const requests = asked.flatMap((request) => ('is' in request ? [] : request))
    const replies = await askAll({ ...network, timeout: TIMEOUT }, requests)
    return group.map((contract, i) => {
      const request = asked[i] ?? unknown('it was not asked')
      const permission = 'is' in request ? request : toPermission(network, replies(request))
      return { ...contract, permission }
    })
  })
  return (await Promise.all(answered)).flat()
}

const unknown = (reason: string): Permission => ({ is: 'unknown', reason })

/** Returns the question to the chain, or the answer if there is none to ask. */
function toRequest(
  network: Network,
  holder: string,
  { contract, fulfilment }: SoldContract,
): ReturnType<typeof permissionRequest> | Permission {
  const isMint = fulfilment === 'mint'
  if (!isAddress(contract, { strict: false })) return unknown('its address is not valid')
  if (network.treasury && !isMint) return { is: 'not_needed' }
  if (isMint) return permissionRequest(getAddress(contract), network.delivery, zeroAddress)
  if (!isAddress(holder, { strict: false })) return unknown('no wallet is linked')
  return permissionRequest(getAddress(contract), network.delivery, getAddress(holder))
}

function toPermission(network: Network, replies: readonly Reply[]): Permission {
  const answers = replies.map((reply) => (inconclusive(reply) ? null : !!word(reply)))
  const isAllowed = agree(network, answers)
  if (isAllowed === null) return unknown(replies.map(inconclusive).join(', '))
  if (isAllowed) return { is: 'allowed' }
  const isTold = replies.some((reply) => word(reply) !== null)
  return isTold ? { is: 'missing' } : unknown('the contract does not tell')
}
