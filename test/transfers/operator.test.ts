/** What an operator may see and do, over HTTP. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import app from '../../src/app.ts'
import { requestOf } from '../support/api.ts'
import { aChain } from '../support/chain/chain.ts'
import { assertDocumented } from '../support/document.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'
import { transferEvents } from '../support/transfers/events.ts'
import { aPaidItem, paidItems } from '../support/transfers/items.ts'
import { anEngine, rowOf, signedFor } from '../support/transfers/looks.ts'
import { SIGNER } from '../support/transfers/made-up.ts'
import { aRecordingQueue } from '../support/transfers/queue.ts'

let token: string
beforeAll(async () => {
  token = await aMasterToken()
})

/** Nothing happens to these but by the test. */
const elsewhere = {
  name: 'elsewhere',
  chainId: 1,
  contracts: { erc721: SIGNER, erc1155: SIGNER },
  seller: SIGNER,
} as const

/** The queue only remembers, so that no consumer but the test's own is told of anything. */
const announced = aRecordingQueue()

async function ask(method: string, path: string, bearer = token): Promise<Response> {
  const request = requestOf(method, `/api/admin/transfers${path}`, { token: bearer })
  const own = { ...env, TRANSFERS: announced.queue }
  const response = await app.fetch(request.clone(), own, createExecutionContext())
  await assertDocumented(request, response.clone())
  return response
}

type Listed = { id: number; status: string; transactions: object[] }
type Page = { transfers: Listed[]; nextCursor: string | null }

const list = async (query: string): Promise<Page> => (await ask('GET', `?${query}`)).json()

async function act(action: 'retry' | 'cancel', { id }: { id: number }) {
  const response = await ask('POST', `/${id}/${action}`)
  const { transfer, error } = await response.json<{ transfer?: Listed; error?: string }>()
  const isAnnounced = announced.take().some(({ transferId }) => transferId === id)
  return { status: response.status, transfer, error, isAnnounced }
}

const setRow = (id: number, values: string) =>
  env.DB.prepare(`UPDATE transfers SET ${values} WHERE id = ?`).bind(id).run()

describe('the list', () => {
  it('is for master tokens only', async () => {
    const user = await aToken(await aUser())
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/1/retry'],
      ['POST', '/1/cancel'],
    ] as const) {
      expect((await ask(method, path, 'nonsense')).status).toBe(401)
      expect((await ask(method, path, user)).status).toBe(403)
    }
  })

  it('goes page by page, with a filter', async () => {
    const items = await paidItems(
      elsewhere,
      Array.from({ length: 5 }, () => ({ standard: 'erc721' as const })),
    )
    for (const { id } of items) await setRow(id, `status = 'review', reason = 'why'`)
    const seen: number[] = []
    for (let cursor = ''; ; ) {
      const page = await list(`status=review&limit=2${cursor}`)
      seen.push(...page.transfers.map(({ id }) => id))
      if (page.nextCursor === null) break
      expect(page.transfers).toHaveLength(2)
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(seen).toEqual(items.map(({ id }) => id))
    expect((await list('status=dead_lettered')).transfers).toEqual([])
    await setRow(items[3]?.id ?? 0, `deadLetteredAt = '2026-01-01T00:00:00.000Z'`)
    const { transfers } = await list('status=dead_lettered')
    expect(transfers).toMatchObject([{ id: items[3]?.id, reason: 'why', network: 'elsewhere' }])
    for (const { id } of items) await setRow(id, `status = 'failed', deadLetteredAt = NULL`)
  })

  it('refuses filters that there are not', async () => {
    for (const query of ['status=lost', 'limit=101', 'limit=0', 'cursor=-1'])
      expect((await ask('GET', `?${query}`)).status).toBe(400)
  })
})

describe('a retry', () => {
  it('begins a failed transfer again, with a nonce of its own', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    await chain.setAutomine(false)
    const [first, second] = await paidItems(chain, [
      { standard: 'erc721' },
      { standard: 'erc721', tokenId: '0', recipient: chain.signer },
    ])
    if (!first || !second) throw new Error('nothing was sold')
    // The second goes out first; the other one reverts in the chain.
    await look([second])
    await look([first], 5)
    await chain.mine()
    await look([first, second], 10)
    expect(await rowOf(first)).toMatchObject({ status: 'failed', failReason: expect.any(String) })
    // By now the marketplace holds the token itself.
    expect(await act('retry', first)).toMatchObject({
      status: 200,
      isAnnounced: true,
      transfer: { id: first.id, status: 'queued', generation: 2, reason: null, txId: null },
    })
    expect(await rowOf(first)).toMatchObject({ item: null, failReason: null })
    await look([first], 15)
    await chain.mine()
    await look([first], 20)
    expect(await rowOf(first)).toMatchObject({ status: 'transferred', generation: 2 })
    expect((await signedFor(first)).map(({ nonce }) => nonce)).toEqual([1, 2])
    expect(await transferEvents(chain)).toHaveLength(2)
  })

  it('changes nothing for one that is on its way', async () => {
    const item = await aPaidItem(elsewhere, { standard: 'erc721' })
    await setRow(item.id, `status = 'sent'`)
    const before = await rowOf(item)
    const answer = await act('retry', item)
    expect(answer).toMatchObject({ status: 200, isAnnounced: true, transfer: { status: 'sent' } })
    expect(await rowOf(item)).toEqual(before)
  })

  it('is refused, with the reason, where there is nothing to try', async () => {
    const item = await aPaidItem(elsewhere, { standard: 'erc721' })
    await setRow(item.id, `status = 'transferred'`)
    expect(await act('retry', item)).toMatchObject({
      status: 409,
      isAnnounced: false,
      error: 'the NFT is transferred already',
    })
    const waiting = await aPaidItem(elsewhere, { standard: 'erc721', recipient: null })
    expect(await act('retry', waiting)).toMatchObject({
      status: 409,
      error: 'the buyer has no wallet yet',
    })
    expect(await act('retry', { id: 999_999 })).toMatchObject({ status: 404 })
  })

  it('lets a stopped signer go on, and gives the reviewed transfer another nonce', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    await chain.rpc('anvil_dropAllTransactions')
    const gift = { from: chain.signer, to: chain.seller, value: '0x1' }
    await chain.rpc('eth_sendTransaction', gift)
    await chain.mine()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'review' })
    expect(await act('retry', item)).toMatchObject({ status: 200 })
    await look([item], 10)
    await chain.mine()
    await look([item], 15)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
    expect((await signedFor(item)).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await transferEvents(chain)).toHaveLength(1)
  })
})

describe('a cancellation', () => {
  it('ends a transfer without a nonce at once', async () => {
    const item = await aPaidItem(elsewhere, { standard: 'erc721' })
    expect(await act('cancel', item)).toMatchObject({
      status: 200,
      transfer: { status: 'failed', reason: 'cancelled by the operator' },
    })
    expect(await rowOf(item)).toMatchObject({
      item: 'failed',
      failReason: 'cancelled by the operator',
      dueAt: null,
    })
    expect(await act('cancel', item)).toMatchObject({ status: 409, error: 'it has failed already' })
  })

  it('takes a transfer from the consumer that is about to store what it has signed', async () => {
    const chain = await aChain({ erc1155: 2 })
    const [item, other] = await paidItems(chain, [{ standard: 'erc1155' }, { standard: 'erc1155' }])
    if (!item || !other) throw new Error('nothing was sold')
    const { look } = anEngine(chain, {}, () => act('cancel', item))
    await look([item, other])
    expect(await rowOf(item)).toMatchObject({ status: 'failed', item: 'failed' })
    expect(await signedFor(item)).toEqual([])
    await look([item, other], 5)
    await chain.mine()
    await look([item, other], 10)
    expect(await rowOf(item)).toMatchObject({ status: 'failed' })
    expect(await rowOf(other)).toMatchObject({ status: 'transferred' })
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('replaces a transaction that is not mined by one that does nothing', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    const answer = await act('cancel', item)
    expect(answer).toMatchObject({ status: 200, isAnnounced: true, transfer: { status: 'sent' } })
    await look([item], 5)
    const [transfer, cancel] = await signedFor(item)
    expect(cancel).toMatchObject({ kind: 'cancel', nonce: transfer?.nonce, attempt: 1 })
    expect(cancel?.fee).toBeGreaterThan(transfer?.fee ?? 0)
    await chain.mine()
    await look([item], 10)
    expect(await rowOf(item)).toMatchObject({
      status: 'failed',
      reason: 'cancelled by the operator',
      item: 'failed',
    })
    expect(await transferEvents(chain)).toEqual([])
    // Its nonce is used up, so it may begin again.
    expect(await act('retry', item)).toMatchObject({ status: 200 })
    await look([item], 15)
    await chain.mine()
    await look([item], 20)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('comes too late for a transaction that is mined', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    // Nobody has looked since, so nobody knows.
    expect(await act('cancel', item)).toMatchObject({ status: 200 })
    await chain.mine()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
    expect(await signedFor(item)).toHaveLength(1)
    expect(await act('cancel', item)).toMatchObject({
      status: 409,
      error: 'the NFT is transferred already',
    })
  })

  it('ends one that waits for a wallet', async () => {
    const item = await aPaidItem(elsewhere, { standard: 'erc721', recipient: null })
    expect(await act('cancel', item)).toMatchObject({ transfer: { status: 'failed' } })
    expect(await rowOf(item)).toMatchObject({ item: 'failed' })
  })
})
