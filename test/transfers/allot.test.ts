import { describe, expect, it } from 'vitest'
import { allot } from '../../src/transfers/allot.ts'
import type { Action } from '../../src/transfers/decide.ts'
import type { Account } from '../../src/transfers/state.ts'
import {
  aNetwork,
  aTransaction,
  aTransfer,
  GWEI,
  SIGNER,
  someFacts,
} from '../support/transfers/made-up.ts'

const call = { to: SIGNER, data: '0x01' } as const
const toSign = (id: number, gas = 50_000n) => ({
  transfer: aTransfer({ id }),
  action: { do: 'sign', call, gas } as Action,
})
const sent = (id: number, action: Action, values: Parameters<typeof aTransaction>[0] = {}) => ({
  transfer: aTransfer({ id, transactions: [aTransaction({ transferId: id, ...values })] }),
  action,
})

const anAccount = (values: Partial<Account> = {}): Account => ({
  chainId: 1,
  nextNonce: 7,
  recent: [],
  isStopped: false,
  ...values,
})

const allotted = (
  needs: Parameters<typeof allot>[0],
  account: Partial<Account> = {},
  facts: Parameters<typeof someFacts>[0] = {},
) => allot(needs, someFacts(facts), anAccount(account), aNetwork, SIGNER)
const nonces = (steps: ReturnType<typeof allot>) => steps.map(({ draft }) => draft?.nonce ?? null)
const reasons = (steps: ReturnType<typeof allot>) =>
  steps.map(({ action }) => ('reason' in action ? action.reason : null))

describe('nonces', () => {
  it('follow one another over what is signed, and skip nothing for what is not', () => {
    const fails: Action = { do: 'fail', reason: 'no', hash: null }
    const needs = [toSign(1), { transfer: aTransfer({ id: 2 }), action: fails }, toSign(3)]
    expect(nonces(allotted(needs))).toEqual([7, null, 8])
  })

  it('begin above every one that was ever given out, whatever a node that lags behind says', () => {
    const counts = new Map([[SIGNER, 3]])
    expect(nonces(allotted([toSign(1)], { nextNonce: 12 }, { counts }))).toEqual([12])
  })

  it('begin above every one that the chain has used', () => {
    const counts = new Map([[SIGNER, 20]])
    expect(nonces(allotted([toSign(1)], { nextNonce: 12 }, { counts }))).toEqual([20])
  })
})

describe('what is signed', () => {
  it('is as much as may be in flight, counted by the nonces that the chain has not used', () => {
    const needs = [toSign(1), toSign(2), toSign(3)]
    const steps = allotted(needs, { nextNonce: 7 + aNetwork.maxInFlight - 2 })
    expect(nonces(steps)).toEqual([15, 16, null])
    expect(steps[2]?.action.do).toBe('wait')
  })

  it('is what the signer can pay for, beside what is in flight', () => {
    // Each costs 50,000 gas at 3 gwei: base fee 1, room for it to double, and the tip.
    const cost = 50_000n * 3n * GWEI
    const needs = [toSign(1), toSign(2)]
    expect(nonces(allotted(needs, {}, { balance: 2n * cost }))).toEqual([7, 8])
    expect(nonces(allotted(needs, {}, { balance: 2n * cost - 1n }))).toEqual([7, null])
    const recent = [6, 7].map((nonce) => ({ nonce, cost: Number(cost) }))
    const held = allotted(needs, { recent, nextNonce: 8 }, { balance: 2n * cost })
    expect(nonces(held)).toEqual([8, null])
    expect(reasons(held)[1]).toBe('the signer has not enough funds for the fees')
  })

  it('is nothing while the network asks more than the cap', () => {
    const market = { baseFee: 100n * GWEI, tip: GWEI }
    const steps = allotted([toSign(1)], {}, { market })
    expect(nonces(steps)).toEqual([null])
    expect(reasons(steps)).toEqual(['the network asks more for gas than maxFeePerGasGwei allows'])
  })

  it('is nothing at all while the signer is stopped', () => {
    const needs = [toSign(1), sent(2, { do: 'replace', kind: 'transfer' })]
    const steps = allotted(needs, { isStopped: true })
    expect(nonces(steps)).toEqual([null, null])
    expect(steps.map(({ action }) => action.do)).toEqual(['wait', 'send'])
  })
})

describe('a replacement', () => {
  const cancel: Action = { do: 'replace', kind: 'cancel' }

  it('keeps the nonce, and costs an eighth more in both fees', () => {
    const [step] = allotted([sent(1, cancel, { nonce: 5, attempt: 2 })])
    expect(step?.draft).toMatchObject({
      nonce: 5,
      attempt: 3,
      kind: 'cancel',
      to: SIGNER,
      data: '0x',
      maxFeePerGas: (10n * GWEI * 9n) / 8n,
      maxPriorityFeePerGas: (GWEI * 9n) / 8n,
    })
  })

  it('costs what the network asks when that is more', () => {
    const market = { baseFee: 20n * GWEI, tip: 5n * GWEI }
    const [step] = allotted([sent(1, cancel)], {}, { market })
    expect(step?.draft).toMatchObject({
      maxFeePerGas: 45n * GWEI,
      maxPriorityFeePerGas: 5n * GWEI,
    })
  })

  it('is not made above the cap: the old bytes are sent again', () => {
    const [step] = allotted([sent(1, cancel, { maxFeePerGas: `${90n * GWEI}` })])
    expect(step).toMatchObject({
      draft: null,
      action: { do: 'send', reason: 'the network asks more for gas than maxFeePerGasGwei allows' },
    })
  })

  it('is not made of what another key has signed', () => {
    const [step] = allotted([
      sent(1, cancel, { signer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }),
    ])
    expect(step).toMatchObject({ draft: null, action: { do: 'send' } })
  })
})
