/** Recipients that are contract wallets: known by chain and address. */
import { eq } from 'drizzle-orm'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { describeReason, explain, type Reason } from '../../src/delivery/reasons.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { db } from '../support/makers.ts'

const logged = recordLogs()

const MINUTE = 60
const erc1155 = { standard: 'erc1155' } as const

/** An item for a wallet that is not deployed yet. */
const anUndeployedItem = (chain: Chain) =>
  aPaidItem(chain, { ...erc1155, recipientChainId: chain.chainId })

/** Deploys the wallet of the recipient. It accepts tokens. */
async function deploy(chain: Chain, { recipient }: PaidItem) {
  const code = await chain.rpc('eth_getCode', await chain.aRecipient('accepts'), 'latest')
  await chain.rpc('anvil_setCode', recipient, code)
}

/** A reason as logs tell it. */
const toldReason = (reason: Reason) => ({
  reasonCode: reason.reasonCode,
  reason: describeReason(reason),
})

describe('on another chain', () => {
  const elsewhere = (chain: Chain) => ({ ...erc1155, recipientChainId: chain.chainId + 1 })
  const reasonOn = ({ chainId }: Chain) =>
    explain('recipient_on_other_chain', `chain ${chainId + 1} instead of ${chainId}`)

  it('gets nothing, even if an account or a contract has its address', async () => {
    const chain = await aChain({ erc1155: 3 })
    const recipient = await chain.aRecipient('accepts')
    const [account, contract, other] = await paidItems(chain, [
      elsewhere(chain),
      { ...elsewhere(chain), recipient },
      erc1155,
    ])
    const engine = anEngine(chain)
    await engine.run()
    const failed = { state: 'failed', ...reasonOn(chain), dueAt: null, tries: 0 }
    expect(await rowOf(account)).toMatchObject(failed)
    expect(await rowOf(contract)).toMatchObject(failed)
    await expectDelivered(chain, [other])
    expect(logged('delivery_failed')).toEqual([
      { itemId: account.id, ...toldReason(reasonOn(chain)) },
      { itemId: contract.id, ...toldReason(reasonOn(chain)) },
    ])
    await engine.retry(contract)
    await engine.run(MINUTE)
    expect(await rowOf(contract)).toMatchObject(failed)
    expect(await transferEvents(chain)).toHaveLength(1)
  })
})

describe('that is not deployed', () => {
  it('gets nothing if only one of two nodes says that it is', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await anUndeployedItem(chain)
    await chain.setFaults({ on: ['eth_getCode'], effect: { result: '0x6000' } })
    const engine = anEngine(chain, { rpcUrls: [chain.proxyUrl, chain.rpcUrl] })
    await engine.run()
    await engine.run(10 * MINUTE)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode: 'node_unavailable' })
    expect(await transactionsOf(chain)).toEqual([])
    await deploy(chain, item)
    await engine.run(60 * MINUTE)
    await expectDelivered(chain, [item])
  })
})

it('does not stop a cancellation, on another chain or before it is deployed', async () => {
  const chain = await aChain({ erc1155: 2 })
  const items = await paidItems(
    chain,
    [1, 0].map((more) => ({ ...erc1155, recipientChainId: chain.chainId + more })),
  )
  await db.update(deliveries).set({ requestedAction: 'cancel' })
  await anEngine(chain).run()
  for (const item of items)
    expect(await rowOf(item)).toMatchObject({ state: 'cancelled', reasonCode: 'cancelled' })
  expect(await transactionsOf(chain)).toHaveLength(1)
})

describe('of a seller', () => {
  /** Says that the seller proved the wallet as a contract on this chain. */
  const proveOn = (chain: Chain, walletChainId: number) =>
    db.update(users).set({ walletChainId }).where(eq(users.ethereumPublicAddr, chain.seller))

  it('sells nothing that the same address holds on another chain', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, erc1155)
    await proveOn(chain, chain.chainId + 1)
    await anEngine(chain).run()
    expect(await rowOf(item)).toMatchObject({
      state: 'failed',
      reasonCode: 'seller_on_other_chain',
    })
    expect(await transferEvents(chain)).toEqual([])
    await proveOn(chain, 0)
  })

  it('sells what it holds on its own chain, and what the treasury holds on any', async () => {
    const chain = await aChain({ erc1155: 2 })
    const own = await aPaidItem(chain, erc1155)
    await proveOn(chain, chain.chainId)
    await anEngine(chain).run()
    const ofTreasury = await aPaidItem(chain, erc1155)
    await proveOn(chain, chain.chainId + 1)
    const heldByIt = await aPaidItem(chain, { ...erc1155, heldBySeller: true })
    await anEngine(chain, { treasury: getAddress(chain.seller) }).run()
    await proveOn(chain, 0)
    await expectDelivered(chain, [own, ofTreasury])
    expect(await rowOf(heldByIt)).toMatchObject({ reasonCode: 'seller_on_other_chain' })
  })
})
