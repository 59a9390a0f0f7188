/** Somebody has the keys of the relayers, and uses them while the Worker works. */
import { env } from 'cloudflare:workers'
import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { deliveryAbi } from '../../../../contracts/delivery-abi.ts'
import type { ContractItem } from '../../../../src/ethereum/contract.ts'
import type { TransferEvent } from '../events.ts'
import { useNonce } from './node.ts'
import { idsOf } from './operator.ts'
import type { Order, World } from './world.ts'

const THIEF = getAddress('0x7411ef7411ef7411ef7411ef7411ef7411ef7411')

/** An edition that nobody has ordered. */
const STOLEN_EDITION = 999n

/** A time that no campaign reaches, in seconds since 1970. */
const FAR_FUTURE = 10_000_000_000n

/** Takes pieces under a key of the thief's own: from the seller, or from nobody by a mint. */
export function steal(world: World): Promise<void> {
  const { chain, dice } = world
  const digits = Array.from({ length: 64 }, () => dice.upTo(16).toString(16))
  const item = {
    key: `0x${digits.join('')}`,
    token: chain.contracts.erc1155,
    to: THIEF,
    amount: BigInt(1 + dice.upTo(3)),
  } as const
  return deliver(
    world,
    dice.pick(
      { ...item, from: getAddress(chain.seller), tokenId: 1n },
      { ...item, from: zeroAddress, tokenId: STOLEN_EDITION },
    ),
  )
}

/** Uses the key of an order before the Worker does: for a delivery to the thief, or to cancel it. */
export async function stealKey(world: World): Promise<void> {
  const { chain, dice } = world
  const found = await anOrder(world, ({ network }) => network === chain.name)
  if (!found) return
  found.order.isStolen = true
  const { key } = found
  const from = getAddress(chain.seller)
  const other = { key, token: chain.contracts.erc1155, from, to: THIEF, tokenId: 1n, amount: 1n }
  const cancel = { key, token: zeroAddress, from: zeroAddress, to: zeroAddress }
  await deliver(world, dice.pick(other, { ...cancel, tokenId: 0n, amount: 0n }))
}

/** Delivers what the Worker has delivered or is about to deliver. */
export async function repeatDelivery(world: World): Promise<void> {
  const found = await anOrder(world, (order) => order.obstacle === null && order.isLinked)
  if (!found) return
  const { contract, fulfilment, recipient, standard, quantity, tokenId } = found.order
  await deliver(world, {
    key: found.key,
    token: contract as Address,
    from: fulfilment === 'mint' ? zeroAddress : getAddress(world.chain.seller),
    to: recipient,
    tokenId: BigInt(tokenId),
    amount: standard === 'erc721' ? 0n : BigInt(quantity),
  })
}

/** Whether a movement is a theft that the campaign has made. */
export const isTheft = ({ thefts }: World, { to, transactionHash }: TransferEvent): boolean =>
  to === THIEF && thefts.has(transactionHash)

async function deliver(world: World, item: ContractItem): Promise<void> {
  const args = [[item], 0n, 300_000n, FAR_FUTURE] as const
  const data = encodeFunctionData({ abi: deliveryAbi, functionName: 'deliver', args })
  const hash = await useNonce(world, { to: world.contracts[0], data, gas: '0x7a120' })
  if (hash) world.thefts.add(hash)
}

/** One of the orders of which a kind can be chosen, with its delivery key. */
async function anOrder(
  { dice, orders }: World,
  fits: (order: Order) => boolean,
): Promise<{ order: Order; key: Hex } | null> {
  const fitting = orders.filter(fits)
  const order = fitting[dice.upTo(fitting.length)]
  const id = order && (await idsOf([order])).get(order.providerId)
  if (!id) return null
  const key = await env.DB.prepare('SELECT "key" FROM deliveries WHERE id = ?')
    .bind(id)
    .first<Hex>('key')
  return key && { order, key }
}
