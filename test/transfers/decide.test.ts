/** Each guard of the state machine, one by one, without a node or a database. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, isSuspect } from '../../src/transfers/decide.ts'
import {
  aNetwork,
  aReceipt,
  aTransaction,
  aTransfer,
  canonical,
  later,
  SIGNER,
  someFacts,
} from '../support/transfers/made-up.ts'

const decided = (
  transfer: Parameters<typeof aTransfer>[0],
  facts: Parameters<typeof someFacts>[0] = {},
  seconds = 5,
) => decide(aTransfer(transfer), someFacts(facts), aNetwork, later(seconds))

const sent = { transactions: [aTransaction()] }
const used = { counts: new Map([[SIGNER, 8]]) }
const call = { to: '0x5FbDB2315678afecb367f032d93F642f64180aa3', data: '0x00' } as const

describe('a transfer without a nonce', () => {
  it('is signed once its simulation has passed', () => {
    const simulations = new Map([[1, { call, gas: 50_000n }]])
    expect(decided({}, { simulations })).toEqual({ do: 'sign', call, gas: 50_000n })
  })

  it('fails when it would revert', () => {
    const simulations = new Map([[1, { impossible: 'it would revert: no' }]])
    expect(decided({}, { simulations })).toEqual({
      do: 'fail',
      reason: 'it would revert: no',
      hash: null,
    })
  })

  it('waits when the node did not say', () => {
    const simulations = new Map([[1, { unknown: 'the node cannot be reached' }]])
    expect(decided({}, { simulations })).toEqual({
      do: 'wait',
      reason: 'the node cannot be reached',
    })
    expect(decided({})).toEqual({ do: 'wait', reason: null })
  })

  it('is never signed again when an earlier generation was mined after all', () => {
    const transfer = { generation: 2, transactions: [aTransaction()] }
    const simulations = new Map([[1, { call, gas: 50_000n }]])
    const receipts = new Map([['0xaa', aReceipt(90)]])
    expect(decided(transfer, { simulations, receipts, blocks: canonical(90) })).toEqual({
      do: 'settle',
      status: 'transferred',
      hash: '0xaa',
    })
    expect(decided(transfer, { simulations, receipts: new Map([['0xaa', aReceipt(99)]]) })).toEqual(
      { do: 'settle', status: 'mined', hash: '0xaa' },
    )
  })

  it('is signed when its earlier generation was mined, but reverted', () => {
    const transfer = { generation: 2, transactions: [aTransaction()] }
    const simulations = new Map([[1, { call, gas: 50_000n }]])
    const receipts = new Map([['0xaa', aReceipt(90, { succeeded: false })]])
    const facts = { simulations, receipts, blocks: canonical(90) }
    expect(decided({ ...transfer, status: 'queued' }, facts)).toMatchObject({ do: 'sign' })
  })
})

describe('a receipt', () => {
  const mined = (blockNumber: number, blocks = new Map<number, string>()) =>
    decided(sent, { ...used, receipts: new Map([['0xaa', aReceipt(blockNumber)]]), blocks })

  it('counts at the depth of the network, its own block included', () => {
    expect(mined(98, canonical(98))).toEqual({ do: 'settle', status: 'transferred', hash: '0xaa' })
    expect(mined(99, canonical(99))).toEqual({ do: 'settle', status: 'mined', hash: '0xaa' })
  })

  it('does not count while the block is not known to be canonical', () => {
    expect(mined(98)).toEqual({ do: 'settle', status: 'mined', hash: '0xaa' })
  })

  it('does not count when the block is not canonical any more', () => {
    expect(mined(98, new Map([[98, 'another']]))).toEqual({ do: 'wait', reason: null })
  })

  it('of a block beyond the head does not count', () => {
    expect(mined(101, canonical(101))).toMatchObject({ status: 'mined' })
  })

  it('of a transaction that reverted ends the transfer, once it is final', () => {
    const reverted = (blockNumber: number) =>
      decided(sent, {
        receipts: new Map([['0xaa', aReceipt(blockNumber, { succeeded: false })]]),
        blocks: canonical(blockNumber),
      })
    expect(reverted(98)).toMatchObject({ do: 'fail', hash: '0xaa' })
    expect(reverted(99)).toMatchObject({ do: 'settle', status: 'mined' })
  })

  it('of any transaction at the nonce counts, whichever was mined', () => {
    const transactions = [aTransaction(), aTransaction({ hash: '0xbb', attempt: 1 })]
    for (const hash of ['0xaa', '0xbb']) {
      const receipts = new Map([[hash, aReceipt(90)]])
      expect(decided({ transactions }, { receipts, blocks: canonical(90) })).toEqual({
        do: 'settle',
        status: 'transferred',
        hash,
      })
    }
  })

  it('of the cancelling transaction ends the transfer', () => {
    const cancel = aTransaction({ hash: '0xbb', attempt: 1, kind: 'cancel' })
    const receipts = new Map([['0xbb', aReceipt(90)]])
    const transfer = { transactions: [aTransaction(), cancel], cancelRequestedAt: 'then' }
    expect(decided(transfer, { receipts, blocks: canonical(90) })).toMatchObject({
      do: 'fail',
      reason: 'cancelled by the operator',
    })
  })

  it('of the transfer wins over the wish to cancel it', () => {
    const cancel = aTransaction({ hash: '0xbb', attempt: 1, kind: 'cancel' })
    const receipts = new Map([['0xaa', aReceipt(90)]])
    const transfer = { transactions: [aTransaction(), cancel], cancelRequestedAt: 'then' }
    expect(decided(transfer, { receipts, blocks: canonical(90) })).toMatchObject({
      do: 'settle',
      status: 'transferred',
    })
  })
})

describe('a transaction that is not seen in the chain', () => {
  it('is sent again', () => {
    expect(decided(sent)).toEqual({ do: 'send', reason: null })
  })

  it('is sent again, the same bytes, when a reorganisation has removed it', () => {
    expect(decided({ ...sent, status: 'mined' }, {}, 1000)).toEqual({ do: 'send', reason: null })
  })

  it('is sent as it was stored, however late, when it may never have been sent', () => {
    expect(decided({ ...sent, status: 'signed' }, {}, 1000)).toEqual({ do: 'send', reason: null })
  })

  it('is replaced when the network has not taken it for long', () => {
    expect(decided(sent, {}, 60)).toEqual({ do: 'send', reason: null })
    expect(decided(sent, {}, 61)).toEqual({ do: 'replace', kind: 'transfer' })
  })

  it('counts the time from its newest attempt', () => {
    const bump = aTransaction({ hash: '0xbb', attempt: 1, createdAt: later(61).toISOString() })
    const transfer = { transactions: [aTransaction(), bump] }
    expect(decided(transfer, {}, 100)).toEqual({ do: 'send', reason: null })
    expect(decided(transfer, {}, 122)).toEqual({ do: 'replace', kind: 'transfer' })
  })

  it('is not replaced while only an earlier nonce holds it up', () => {
    const counts = new Map([[SIGNER, 6]])
    expect(decided(sent, { counts }, 61)).toEqual({
      do: 'send',
      reason: 'waits for nonce 6 to be mined first',
    })
  })

  it('is replaced behind an earlier nonce when its own fee is too low as well', () => {
    const counts = new Map([[SIGNER, 6]])
    const market = { baseFee: 10n ** 11n, tip: 1n }
    expect(decided(sent, { counts, market }, 61)).toEqual({ do: 'replace', kind: 'transfer' })
  })

  it('is cancelled at its nonce when the operator asks for it, once', () => {
    const cancelRequestedAt = later(1).toISOString()
    expect(decided({ ...sent, cancelRequestedAt })).toEqual({ do: 'replace', kind: 'cancel' })
    const cancel = aTransaction({ hash: '0xbb', attempt: 1, kind: 'cancel' })
    const transfer = { transactions: [aTransaction(), cancel], cancelRequestedAt }
    expect(decided(transfer)).toEqual({ do: 'send', reason: null })
    expect(decided(transfer, {}, 61)).toEqual({ do: 'replace', kind: 'cancel' })
  })
})

describe('a nonce that the chain has used', () => {
  it('is waited for while that may still change', () => {
    expect(decided(sent, used, 1000)).toEqual({ do: 'wait', reason: null })
  })

  it('leads to review when a transaction that is none of ours used it', () => {
    expect(decided(sent, { ...used, usedBy: new Map([[1, '0xcc']]) })).toEqual({
      do: 'review',
      reason: 'nonce 7 was used by 0xcc, which is none of ours',
    })
  })

  it('is waited for when one of ours used it and only the receipt is missing', () => {
    const transactions = [aTransaction(), aTransaction({ hash: '0xbb', attempt: 1 })]
    const usedBy = new Map([[1, '0xaa' as const]])
    expect(decided({ transactions }, { ...used, usedBy })).toMatchObject({ do: 'wait' })
  })

  it('is waited for when the node cannot tell by what', () => {
    expect(decided(sent, { ...used, usedBy: new Map([[1, null]]) })).toEqual({
      do: 'wait',
      reason: 'nonce 7 is used, and the node cannot tell by what',
    })
  })

  it('is suspect only without a receipt', () => {
    const suspect = (facts: Parameters<typeof someFacts>[0]) =>
      isSuspect(aTransfer(sent), someFacts(facts))
    expect(suspect(used)).toBe(true)
    expect(suspect({})).toBe(false)
    expect(suspect({ ...used, receipts: new Map([['0xaa', aReceipt(99)]]) })).toBe(false)
  })

  it('is suspect whatever became of an earlier generation', () => {
    const again = aTransaction({ hash: '0xbb', generation: 2, nonce: 8 })
    const transfer = aTransfer({ generation: 2, transactions: [aTransaction(), again] })
    const receipts = new Map([['0xaa', aReceipt(90, { succeeded: false })]])
    const counts = new Map([[SIGNER, 9]])
    expect(isSuspect(transfer, someFacts({ counts, receipts }))).toBe(true)
  })
})

/** Whatever the node says, in any mixture. */
const anyFacts = fc.record({
  head: fc.integer({ min: 95, max: 105 }),
  count: fc.integer({ min: 5, max: 9 }),
  receipt: fc.option(
    fc.record({
      blockNumber: fc.integer({ min: 93, max: 104 }),
      blockHash: fc.constantFrom('here', 'elsewhere'),
      succeeded: fc.boolean(),
    }),
  ),
  canonical: fc.option(fc.constantFrom('here', 'elsewhere')),
  usedBy: fc.option(fc.constantFrom('0xaa' as const, '0xcc' as const), { nil: undefined }),
  status: fc.constantFrom('signed' as const, 'sent' as const, 'mined' as const),
  isCancelled: fc.boolean(),
  seconds: fc.integer({ min: 0, max: 1000 }),
})

it('never gives a second nonce, and never ends a transfer without proof', () => {
  fc.assert(
    fc.property(anyFacts, (any) => {
      const { receipt } = any
      const action = decided(
        {
          ...sent,
          status: any.status,
          cancelRequestedAt: any.isCancelled ? later(0).toISOString() : null,
        },
        {
          head: any.head,
          counts: new Map([[SIGNER, any.count]]),
          receipts: new Map(receipt ? [['0xaa', receipt]] : []),
          blocks: new Map(receipt && any.canonical ? [[receipt.blockNumber, any.canonical]] : []),
          usedBy: new Map(any.usedBy ? [[1, any.usedBy]] : []),
          simulations: new Map([[1, { call, gas: 1n }]]),
        },
        any.seconds,
      )
      expect(action.do).not.toBe('sign')
      const isProven =
        receipt !== null &&
        any.head - receipt.blockNumber + 1 >= aNetwork.confirmations &&
        any.canonical === receipt.blockHash
      if (action.do === 'settle' && action.status === 'transferred')
        expect(isProven && receipt.succeeded).toBe(true)
      if (action.do === 'fail') expect(isProven && !receipt.succeeded).toBe(true)
      if (action.do === 'review') expect(any.usedBy === '0xcc' && any.count > 7).toBe(true)
      if (action.do === 'replace' || action.do === 'send') expect(any.count).toBeLessThanOrEqual(7)
    }),
    { numRuns: 2000 },
  )
})
