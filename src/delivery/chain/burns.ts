/** Which tokens and recipients use up the gas of transfers. */
import { getAddress } from 'viem'
import type { Network } from '../../env.ts'
import { agree, askAll } from '../../ethereum/node.ts'
import { contractCode, hex, integer, read, transactionCount } from '../../ethereum/requests.ts'
import type { Reply } from '../../ethereum/rpc.ts'
import type { Decision } from '../rules/decide.ts'
import type { Burn } from '../store/store.ts'

/**
 * Returns which transfers have used up gas. The token alone is to blame if all nodes prove that the
 * recipient had no code in this block. An account gets code for a moment only by an authorization,
 * which raises its nonce (EIP-7702), or as a contract that is deployed and destroyed in one transaction:
 * not where transactions were sent from before. Otherwise either may have made the other look guilty.
 */
export async function findBurns(network: Network, decisions: readonly Decision[]): Promise<Burn[]> {
  const burns = decisions.flatMap((decision) => {
    if (decision.do !== 'close' || !decision.receipt) return []
    const block = decision.receipt.blockNumber
    return decision.burned.flatMap(({ contractAddr: token, recipient }) =>
      recipient ? [{ token, recipient, block }] : [],
    )
  })
  if (burns.length === 0) return []
  const questions = burns.map(({ recipient, block }) => {
    const account = getAddress(recipient)
    return [block - 1, block].flatMap((height) => [
      contractCode(account, height),
      transactionCount(account, height),
    ])
  })
  const replies = await askAll(network, questions.flat())
  return burns.map(({ token, recipient }, i) => {
    const answers = network.rpcUrls.map((_, node) =>
      hadNoCode((questions[i] ?? []).flatMap((request) => replies(request)[node] ?? [])),
    )
    return { token, recipient: agree(network, answers) ? null : recipient }
  })
}

/** Whether an account cannot have had code in a block, by code and nonce before and after it; null: not told. */
function hadNoCode([codeBefore, nonceBefore, code, nonce]: readonly Reply[]): boolean | null {
  if (!codeBefore || !nonceBefore || !code || !nonce) return null
  const codes = [codeBefore, code].map((reply) => read(hex, reply))
  const nonces = [nonceBefore, nonce].map((reply) => read(integer, reply))
  if (codes.includes(null) || nonces.includes(null)) return null
  return codes.every((one) => one === '0x') && new Set(nonces).size === 1 && !nonces.includes(0)
}
