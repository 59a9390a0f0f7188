/** What a step asks nodes at most, and reads of their answers. */

import { env } from 'cloudflare:workers'
import { getAddress, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { times } from '../orders/shop.ts'
import { aChain } from '../support/chain/chain.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'

const edition = { standard: 'erc1155' } as const

it('asks for no receipts of expired transactions while their nonces are not used', async () => {
  const chain = await aChain({ erc1155: 10 })
  await chain.setAutomine(false)
  await chain.mine()
  const now = new Date().toISOString()
  const hash = (i: number) => numberToHex(i + 1, { size: 32 })
  // Days of fees that rise and fall: each nonce was signed again and again.
  const rows = times(64, (i) => ({
    nonce: 3 + i,
    hash: hash(100 * i),
    replaced: JSON.stringify(times(60, (k) => hash(100 * i + 1 + k))),
  }))
  await env.DB.prepare(
    `INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced, gas,
       maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, isOpen, createdAt, updatedAt)
     SELECT ?1, ?2, ?3, value ->> 'nonce', '[]', value ->> 'hash', value ->> 'replaced', '1', '1', '1', 1, 0,
       ?4, 1, ?4, ?4 FROM json_each(?5)`,
  )
    .bind(chain.chainId, chain.delivery, getAddress(chain.signer), now, JSON.stringify(rows))
    .run()
  await aPaidItem(chain, edition)
  await chain.takeCounts()
  await anEngine(chain, { transactionsInFlight: 64 }).step()
  const { calls } = await chain.takeCounts()
  expect(calls.eth_getTransactionReceipt ?? 0).toBeLessThan(100)
})

it('reads little of what hostile tokens return', async () => {
  const chain = await aChain({ erc1155: 10 })
  const honest = await aPaidItem(chain, edition)
  const hostile = times(10, (i) => getAddress(`0x${(i + 1).toString(16).padStart(40, 'e')}`))
  // Returns 3 MB, whatever is asked: 6 MB of JSON.
  for (const contract of hostile) await chain.rpc('anvil_setCode', contract, '0x622fffff6000f3')
  await paidItems(
    chain,
    hostile.map((contract) => ({ ...edition, contract })),
  )
  let longest = 0
  const stop = watchRequests(chain.proxyUrl, async (_, send) => {
    const response = await send()
    longest = Math.max(longest, (await response.clone().text()).length)
    return response
  })
  await anEngine(chain).run().finally(stop)
  await expectDelivered(chain, [honest])
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(10_000_000)
})
