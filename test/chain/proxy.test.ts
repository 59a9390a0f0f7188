import { expect, it } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { alreadyKnown } from '../support/chain/faults.ts'
import { rpc, rpcBatch } from '../support/chain/rpc.ts'
import { transferEvents } from '../support/delivery/events.ts'

const gift = (chain: Chain) => ({ from: chain.seller, to: chain.signer, value: '0x1' })
const blockNumber = { method: 'eth_blockNumber' }

it('gives each test its own chain, with tokens in a wallet that approved the delivery', async () => {
  const [one, other] = await Promise.all([aChain({ erc721: 3, erc1155: 5 }), aChain()])
  expect(one.chainId).not.toBe(other.chainId)
  expect(Number(await one.rpc('eth_chainId'))).toBe(one.chainId)
  expect(await transferEvents(one)).toEqual([])
  // balanceOf(seller)
  const data = `0x70a08231${one.seller.slice(2).padStart(64, '0')}`
  const balance = await one.rpc('eth_call', { to: one.contracts.erc721, data }, 'latest')
  expect(Number(balance)).toBe(3)
})

it('forwards calls and counts them', async () => {
  const chain = await aChain()
  const [chainId] = await rpcBatch(chain.proxyUrl, [{ method: 'eth_chainId' }, blockNumber])
  expect(Number(chainId)).toBe(chain.chainId)
  await rpc(chain.proxyUrl, 'eth_blockNumber')
  const counts = { requests: 2, calls: { eth_chainId: 1, eth_blockNumber: 2 } }
  expect(await chain.takeCounts()).toEqual(counts)
  expect(await chain.takeCounts()).toEqual({ requests: 0, calls: {} })
})

it('applies a fault to its methods, after `skip` calls and `times` times', async () => {
  const chain = await aChain()
  await chain.setFaults({ on: ['eth_chainId'], skip: 1, times: 1, effect: { result: 'hit' } })
  const calls = [{ method: 'eth_chainId' }, blockNumber, { method: 'eth_chainId' }]
  expect(await rpcBatch(chain.proxyUrl, calls)).toEqual([
    expect.stringMatching(/^0x/),
    expect.stringMatching(/^0x/),
    'hit',
  ])
  expect(await rpc(chain.proxyUrl, 'eth_chainId')).not.toBe('hit')
})

it('breaks a connection before or after the node receives the calls', async () => {
  for (const [reach, sent] of [
    ['none', 0],
    ['half', 1],
    ['all', 2],
  ] as const) {
    const chain = await aChain()
    const nonce = async () =>
      Number(await chain.rpc('eth_getTransactionCount', chain.seller, 'pending'))
    await chain.setAutomine(false)
    await chain.setFaults({ effect: { http: 'drop', reach } })
    const first = await nonce()
    const transfers = [first, first + 1].map((nonce) => ({
      method: 'eth_sendTransaction',
      params: [{ ...gift(chain), nonce: `0x${nonce.toString(16)}` }],
    }))
    await expect(rpcBatch(chain.proxyUrl, transfers)).rejects.toThrow('connection lost')
    expect((await nonce()) - first, reach).toBe(sent)
  }
})

it('answers HTTP statuses, invalid JSON and errors', async () => {
  const chain = await aChain()
  await chain.setFaults({ effect: { http: 429, reach: 'none' } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  expect((await fetch(chain.proxyUrl, { method: 'POST', body })).status).toBe(429)
  await chain.setFaults({ effect: { http: 'malformed', reach: 'all' } })
  await expect(rpc(chain.proxyUrl, 'eth_chainId')).rejects.toThrow(SyntaxError)
  await chain.setFaults({ effect: { error: alreadyKnown, reach: 'none' } })
  await expect(rpc(chain.proxyUrl, 'eth_chainId')).rejects.toThrow('already known')
  await chain.setFaults()
  expect(Number(await rpc(chain.proxyUrl, 'eth_chainId'))).toBe(chain.chainId)
})

it('says when to call again, and refuses large batches', async () => {
  const chain = await aChain()
  await chain.setFaults({ above: 1, effect: { http: 429, reach: 'none', retryAfter: 7 } })
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  const post = (calls: unknown) =>
    fetch(chain.proxyUrl, { method: 'POST', body: JSON.stringify(calls) })
  expect((await post([call])).status).toBe(200)
  const refusal = await post([call, call])
  expect(refusal.status).toBe(429)
  expect(refusal.headers.get('retry-after')).toBe('7')
})

it('applies a fault to one of several nodes', async () => {
  const chain = await aChain()
  await chain.setFaults({ node: 'first', effect: { result: 'hit' } })
  expect(await rpc(`${chain.proxyUrl}/first`, 'eth_chainId')).toBe('hit')
  expect(Number(await rpc(`${chain.proxyUrl}/second`, 'eth_chainId'))).toBe(chain.chainId)
})

it('lets a request time out at once', async () => {
  const chain = await aChain()
  await chain.setFaults({ effect: { http: 'hang', reach: 'none' } })
  const request = fetch(chain.proxyUrl, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    signal: AbortSignal.timeout(60_000),
  })
  await expect(request).rejects.toThrow('timeout')
})

it('answers as a node that lags behind', async () => {
  const chain = await aChain()
  const height = Number(await chain.rpc('eth_blockNumber'))
  await chain.setAutomine(false)
  const hash = await chain.rpc('eth_sendTransaction', gift(chain))
  await chain.mine()
  const nonce = Number(await chain.rpc('eth_getTransactionCount', chain.seller, 'latest'))
  await chain.setFaults({ effect: { asOf: height } })
  expect(Number(await rpc(chain.proxyUrl, 'eth_blockNumber'))).toBe(height)
  expect(await rpc(chain.proxyUrl, 'eth_getTransactionReceipt', hash)).toBeNull()
  const stale = await rpc(chain.proxyUrl, 'eth_getTransactionCount', chain.seller, 'pending')
  expect(Number(stale)).toBe(nonce - 1)
})

it('drops a transaction that the node accepted', async () => {
  const chain = await aChain()
  await chain.setAutomine(false)
  await chain.setFaults({ on: ['eth_sendTransaction'], effect: { dropTransaction: true } })
  const hash = await rpc(chain.proxyUrl, 'eth_sendTransaction', gift(chain))
  await chain.mine()
  expect(await chain.rpc('eth_getTransactionByHash', hash)).toBeNull()
})

it('simulates the same faults with the same seed', async () => {
  const chain = await aChain()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  const ask = async () => {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(chain.proxyUrl, { method: 'POST', body, signal })
    return `${response.status} ${await response.text()}`
  }
  const outcomes = async () => {
    await chain.setRandomFaults({ seed: 7, rate: 0.5 })
    const answers: string[] = []
    for (let i = 0; i < 30; i++) {
      answers.push(await ask().catch((error) => error.name))
    }
    return answers
  }
  const first = await outcomes()
  expect(new Set(first).size).toBeGreaterThan(1)
  expect(await outcomes()).toEqual(first)
})
