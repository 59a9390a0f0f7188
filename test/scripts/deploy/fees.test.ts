import { expect, it } from 'vitest'
import { startAnvil } from '../../../scripts/local/chain/anvil.ts'
import { parseNetwork } from '../../../scripts/operate/contract/networks.ts'
import { findFeeProblems, proposeFees } from '../../../scripts/operate/deploy/fees.ts'

it.each([
  // A base fee of 20 gwei and a tip of 1 gwei.
  [20, 1, { maxFeePerGasGwei: 200, maxPriorityFeePerGasGwei: 3 }],
  // A chain with small fees gets limits that it does not soon exceed.
  [0.01, 0, { maxFeePerGasGwei: 1.1, maxPriorityFeePerGasGwei: 0.1 }],
  // A chain whose block producers ask at least 25 gwei.
  [50, 25, { maxFeePerGasGwei: 580, maxPriorityFeePerGasGwei: 75 }],
  // Rounded to two digits.
  [1.2345, 1.1111, { maxFeePerGasGwei: 16, maxPriorityFeePerGasGwei: 3.3 }],
])('proposes limits for a base fee of %d and a tip of %d gwei', (baseFee, tip, limits) => {
  expect(proposeFees(baseFee, tip)).toEqual(limits)
})

it('takes the lower fees of all nodes, and proposes nothing if both limits are set', async () => {
  const nodes = await Promise.all(
    ['90000000000', '2000000000'].map((fee) =>
      startAnvil({ port: 0, args: ['--block-base-fee-per-gas', fee] }),
    ),
  )
  const network = parseNetwork('main', { chainId: 31337, rpcUrls: nodes.map(({ url }) => url) })
  expect(await findFeeProblems(network)).toEqual([
    'Set the upper limits of fees for the network main. From what the chain asks now, these are proposed:\nmaxFeePerGasGwei = 23\nmaxPriorityFeePerGasGwei = 3',
  ])
  const limits = { maxFeePerGasGwei: 500, maxPriorityFeePerGasGwei: 50 }
  expect(await findFeeProblems({ ...network, ...limits })).toEqual([])
  await Promise.all(nodes.map(({ stop }) => stop()))
})
