/** What single steps of the engine do, on a real chain. */
import { expect, it } from 'vitest'
import { aChain } from '../support/chain/chain.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'

it('delivers an ERC-1155 item and an ERC-721 item in one transaction', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 10 })
  const [edition, unique] = await paidItems(chain, [
    { standard: 'erc1155', quantity: 3 },
    { standard: 'erc721' },
  ])
  if (!edition || !unique) throw new Error('no items')
  const engine = anEngine(chain)
  await engine.step()
  expect(await rowOf(edition)).toMatchObject({ state: 'in_flight', contract: chain.delivery })
  await engine.step()
  const [transaction, ...others] = await transactionsOf(chain)
  expect(others).toEqual([])
  for (const item of [edition, unique]) {
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: transaction?.hash })
    expect(deliveriesOf(item, await transferEvents(chain))).toMatchObject([
      { quantity: item.quantity, transactionHash: transaction?.hash },
    ])
  }
  expect(transaction).toMatchObject({ isOpen: 0, raw: null })
})

it('has nothing to do when nothing is due', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain)
  await engine.run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  expect(await anEngine(chain).step()).toBeNull()
})
