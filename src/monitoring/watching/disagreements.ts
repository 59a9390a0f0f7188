/** What nodes that answer a check say differently of deliveries. A pure function. */
import { formatGwei } from 'viem/utils'
import type { View } from '../../chain/views.ts'
import type { Disagreement } from '../../delivery/store/disagreements.ts'
import type { Network } from '../../env.ts'
import { firstFees, readFeeCap } from '../../ethereum/fees.ts'
import { counted } from '../alarms/alarm.ts'

/** What a node says. `kind`: nodes disagree if theirs differ. `text`: the answer in words. */
type Answer = { kind: string; text: string }
type Seen = { node: number; view: View }

export function findDisagreements(
  seen: readonly Seen[],
  network: Pick<Network, 'maxFeePerGasGwei' | 'itemsPerTransaction'>,
): Disagreement[] {
  const [first] = seen
  if (!first) return []
  const questions: [about: string, answer: (view: View) => Answer | null][] = [
    ['the state of the Delivery contract', ({ shown }) => stateOf(shown)],
    ['the price of gas', ({ shown }) => priceOf(BigInt(shown.gasPrice), network)],
    ...first.view.shown.signers.flatMap(({ address }): typeof questions => [
      [`the limit of the signer ${address}`, (view) => limitOf(signerIn(view, address))],
      [`the funds of the signer ${address}`, (view) => fundsOf(signerIn(view, address), network)],
    ]),
  ]
  return questions.flatMap(([about, answer]) => {
    const answers = seen.flatMap(({ node, view }) => {
      const given = answer(view)
      return given ? { node, ...given } : []
    })
    if (new Set(answers.map(({ kind }) => kind)).size < 2) return []
    return { about, answers: answers.map(({ node, text }) => `node ${node}: ${text}`).join(', ') }
  })
}

type Shown = View['shown']
type Signer = Shown['signers'][number]

const signerIn = ({ shown }: View, address: string) =>
  shown.signers.find((signer) => signer.address === address)

function stateOf({ isPaused, isRetired }: Shown): Answer {
  const state = isRetired ? 'retired' : isPaused ? 'paused' : 'delivering'
  return { kind: state, text: state }
}

/** Whether it allows transactions. The price itself differs from block to block. */
function priceOf(price: bigint, network: Pick<Network, 'maxFeePerGasGwei'>): Answer {
  const isPaid = firstFees({ baseFee: price, tip: 0n }, readFeeCap(network)) !== null
  return { kind: String(isPaid), text: `${formatGwei(price)} gwei` }
}

function limitOf(signer: Signer | undefined): Answer | null {
  if (!signer) return null
  const { limit } = signer
  if (!limit) return { kind: 'none', text: 'none' }
  const { capacity, available } = limit
  // How much is left differs from block to block.
  const kind = `${capacity}, ${available > 0 ? 'some' : 'none'} left`
  return { kind, text: `${counted(capacity, 'piece')}, ${available} left` }
}

/** Whether they pay for a transaction, at the price that the node tells. */
function fundsOf(
  signer: Signer | undefined,
  { itemsPerTransaction }: Pick<Network, 'itemsPerTransaction'>,
): Answer | null {
  if (!signer) return null
  const { deliveries } = signer
  return {
    kind: String(deliveries >= itemsPerTransaction),
    text: `enough for ${counted(deliveries, 'delivery', 'deliveries')}`,
  }
}
