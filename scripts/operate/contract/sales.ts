/** Tries deliveries of what is for sale, as the Worker does. */
import { randomBytes } from 'node:crypto'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { askOne, nodes } from '../../../src/chain/nodes.ts'
import { holderOf } from '../../../src/delivery/holder.ts'
import { describeReason, explain, rules } from '../../../src/delivery/reasons.ts'
import { type Sale, trySales } from '../../../src/delivery/sales.ts'
import { decodeRelayers, encodeGetter } from '../../../src/ethereum/contract.ts'
import { hex, read, view } from '../../../src/ethereum/requests.ts'
import { CommandError } from '../../shell/command.ts'
import type { Contract } from './delivery.ts'
import type { Network } from './networks.ts'

/** Ids of a mint that is tried to see whether the token takes a quantity instead. */
const TRIED_IDS = ['1', '2', '7919']

/** Tries one piece of each. All sales are on this network. */
export async function tryOn<S extends Sale>(network: Network, sales: readonly S[]) {
  const { delivery, callsPerSecond = 100 } = network
  if (!delivery) return []
  const settings = { ...network, delivery, callsPerSecond }
  const relayer = await findRelayer(settings)
  const secret = randomBytes(32).toString('hex')
  return trySales({ [network.name]: settings }, sales, { relayer, secret, now: new Date() })
}

/** Returns the first relayer of the contract: it sends the transaction that a token sees. */
async function findRelayer(network: Parameters<typeof nodes>[0] & { delivery: Address }) {
  const request = view(network.delivery, encodeGetter('relayerList'))
  const [node] = nodes(network)
  const data = node && read(hex, (await askOne(node, [request]))(request))
  return (data && decodeRelayers(data)?.[0]) || zeroAddress
}

/** Throws a `CommandError` if the token mints a quantity where the id is expected. */
export async function refuseQuantities(network: Network, token: Address): Promise<void> {
  const sale = { network: network.name, contract: token, fulfilment: 'mint' } as const
  const mint = { ...sale, heldBySeller: false, seller: '' }
  const tried = await tryOn(
    network,
    TRIED_IDS.map((tokenId) => ({ ...mint, tokenId })),
  )
  const found = tried.find(({ obstacle }) => obstacle?.reasonCode === 'mint_not_exact')
  if (found)
    throw new CommandError(
      `${token} gets no limit: ${rules.mint_not_exact.sentence}. Its \`safeMint(address,uint256)\` takes a quantity instead of a token id (mint_not_exact).`,
    )
}

/** What a limit does not change. */
const withoutLimit: readonly unknown[] = ['mint_not_exact', 'mint_refused']

/** Tries them, and knows what no token tells: the contract mints nothing without a limit. */
async function findObstacles(
  { read }: Contract,
  network: Network,
  sales: readonly Sale[],
): Promise<Awaited<ReturnType<typeof tryOn<Sale>>>> {
  const tried = await tryOn(network, sales)
  return Promise.all(
    tried.map(async (sale) => {
      if (sale.fulfilment !== 'mint' || !isAddress(sale.contract, { strict: false })) return sale
      if (withoutLimit.includes(sale.obstacle?.reasonCode)) return sale
      const { isSet } = await read.tokenLimit([getAddress(sale.contract)])
      return isSet ? sale : { ...sale, obstacle: explain('token_limit_missing') }
    }),
  )
}

/** Returns the lines of `npm run contract -- status` about what was tried. */
export async function describeSales(
  contract: Contract,
  network: Network,
  sales: readonly Sale[],
): Promise<string[]> {
  const tried = await findObstacles(contract, network, sales)
  const bad = tried.flatMap((sale) => {
    const { contract, tokenId, obstacle } = sale
    const holder = holderOf(sale, network)
    const name = `  ${contract} ${tokenId}${holder === null ? '' : ` of ${holder}`}`
    if (obstacle === undefined) return `${name}: not known, because no node tells`
    return obstacle ? `${name}: ${describeReason(obstacle)} (${obstacle.reasonCode})` : []
  })
  return [`deliveries   ${bad.length} of ${tried.length} tried not possible`, ...bad]
}
