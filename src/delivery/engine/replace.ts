import type { Network } from '../../env.ts'
import { feeTexts, isUnderpriced } from '../../ethereum/fees.ts'
import { decodeCallData, type Signer, sign } from '../../ethereum/signer.ts'
import { log } from '../../log.ts'
import { capacityOf } from './assign.ts'
import type { Fate } from './decide.ts'
import type { Observation } from './observe.ts'
import type { Loaded } from './state.ts'
import type { Replacement } from './store.ts'

/** Signs the calls of underpriced transactions again, unless their signer was removed. */
export async function replaceAll(
  fates: readonly Fate[],
  signers: readonly Signer[],
  observation: Observation,
  loaded: Loaded,
  network: Network,
  cap: bigint,
): Promise<Replacement[]> {
  const replacements: Replacement[] = []
  const { chainId } = network
  const { head, market } = observation
  const funds = new Map(
    signers.map(({ address }) => [
      address,
      capacityOf(address, network, observation, loaded).funds,
    ]),
  )
  if (fates.some((fate) => fate.do === 'send' && isUnderpriced(fate.transaction, market)))
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap: String(cap) })
  for (const fate of fates) {
    if (fate.do !== 'replace') continue
    const { transaction, fees } = fate
    const { contract: to, nonce, gas, raw } = transaction
    const signer = signers.find(({ address }) => address === transaction.signer)
    const left = funds.get(transaction.signer)
    if (!signer || left === undefined) continue
    // The old fees are taken off already.
    const cost = gas * (fees.maxFeePerGas - transaction.maxFeePerGas)
    if (left < cost) {
      const missing = String(cost - left)
      log.error('signer_out_of_funds', { chainId, signer: signer.address, missing })
      funds.delete(signer.address)
      continue
    }
    funds.set(signer.address, left - cost)
    const call = { chainId, nonce, to, data: decodeCallData(raw), gas, ...fees }
    const signed = await sign(signer, call)
    replacements.push({ transaction, ...signed, ...fees, signedAtBlock: head.number })
  }
  return replacements
}
