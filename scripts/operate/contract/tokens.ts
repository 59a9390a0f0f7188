/** Limits of the token contracts in the Delivery contract, as text for an operator. */
import { getAddress, isAddress } from 'viem'
import type { Contract } from './delivery.ts'
import { attempt } from './node.ts'
import { describeLimit, describeTime } from './status.ts'

/** Returns lines about the limit of a token contract, and about an announced owner of it. */
export async function describeToken({ read }: Contract, text: string): Promise<string[]> {
  if (!isAddress(text, { strict: false })) return [`  ${text}  not an address`]
  const token = getAddress(text)
  const reads = Promise.all([read.tokenLimit([token]), read.handOvers([token])])
  const [limit, [newOwner, effectiveAt]] = await attempt(`Reading the limit of ${token}`, reads)
  return [
    `  ${token}  ${limit.isSet ? describeLimit(limit) : 'no limit'}`,
    ...(effectiveAt === 0n
      ? []
      : [`    can be handed over to ${newOwner} from ${describeTime(effectiveAt)} on`]),
  ]
}
