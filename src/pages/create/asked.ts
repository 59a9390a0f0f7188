/** Which tokens somebody asks to list. */
import * as z from 'zod'
import { fulfilments } from '../../db/schema/catalogue.ts'
import type { Settings } from '../../env.ts'
import { invalidField } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'
import { EthereumAddress } from '../../identity/wallet-address.ts'
import { creatorLimits } from '../../limits.ts'
import { parseForm } from '../components/forms.tsx'

const text = inputText(2000)
/** The query of the page: without a contract, nobody has asked yet. */
export const AskedQuery = z.object({
  network: text.optional().catch(undefined),
  contract: text.optional().catch(undefined),
  ids: text.optional().catch(undefined),
  fulfilment: text.optional().catch(undefined),
})
export type AskedForm = z.output<typeof AskedQuery>

/** Returns ids that somebody has written as in `7` or `1-20`; null if that is not possible. */
function parseIds(text: string): string[] | null {
  const ids = new Set<string>()
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const [, first, last = first] = /^(\d{1,78})(?:[-–](\d{1,78}))?$/.exec(part) ?? []
    if (first === undefined || last === undefined) return null
    const end = BigInt(last)
    if (end < BigInt(first) || end >= 2n ** 256n) return null
    for (let id = BigInt(first); id <= end; id++) {
      ids.add(`${id}`)
      if (ids.size > creatorLimits.tokens.max) return null
    }
  }
  return [...ids]
}

const idsText = z.string().transform((text, context) => {
  const ids = parseIds(text)
  if (ids) return ids
  context.addIssue(`must be ids as in 7 or 1-20, at most ${creatorLimits.tokens.max}`)
  return z.NEVER
})

const askedOf = ({ NETWORKS }: Pick<Settings, 'NETWORKS'>) =>
  z.object({
    network: z.enum(Object.keys(NETWORKS)),
    contract: EthereumAddress,
    ids: idsText.default([]),
    fulfilment: z.enum(fulfilments).default('transfer'),
  })

/** Returns what was asked for. `ids`: none for what the contract lists. Throws `invalid_input`. */
export function parseAsked(settings: Pick<Settings, 'NETWORKS'>, query: AskedForm) {
  const asked = parseForm(askedOf(settings), query)
  if (asked.fulfilment === 'mint' && asked.ids.length !== 1)
    throw invalidField('ids', 'must be one id: that of what is minted')
  return asked
}

export type AskedTokens = ReturnType<typeof parseAsked>
