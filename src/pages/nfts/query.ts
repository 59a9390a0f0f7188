import * as z from 'zod'
import { writtenText } from '../../http/inputs.ts'
import { PublicQuery } from '../../marketplace/query.ts'

const { q, creatorId, amountType, cursor } = PublicQuery.shape

/** What is not valid counts as absent: `/nfts` with any query is a page. */
export const NftsQuery = z.object({
  q: writtenText(255).pipe(q.unwrap()).optional().catch(undefined),
  edition: amountType.catch(undefined),
  sale: z.literal('on').optional().catch(undefined),
  creator: creatorId.catch(undefined),
  cursor: cursor.catch(undefined),
})

export type NftsQuery = z.infer<typeof NftsQuery>
