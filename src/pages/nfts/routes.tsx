/** Public pages: NFTs and their creators. */
import * as z from 'zod'
import { findAccount } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, inputText, writtenText } from '../../http/inputs.ts'
import { readNfts } from '../../marketplace/cards.ts'
import { readNft } from '../../marketplace/nft.ts'
import { PublicQuery } from '../../marketplace/query.ts'
import { creatorPath, editionOf, nameOf } from '../components/nfts.tsx'
import { plural } from '../components/numbers.ts'
import { Preview } from '../components/preview.tsx'
import { page } from '../page.tsx'
import { CreatorPage, NftList, NftPage } from './views.tsx'

const { q, creatorId, amountType, cursor } = PublicQuery.shape

/** What is not valid counts as absent: `/nfts` with any query is a page. */
const NftsQuery = z.object({
  q: writtenText(255).pipe(q.unwrap()).optional().catch(undefined),
  edition: amountType.catch(undefined),
  sale: z.literal('on').optional().catch(undefined),
  creator: creatorId.catch(undefined),
  cursor: cursor.catch(undefined),
})
const CreatorParam = z.object({ creator: idText.or(inputText(30)) })

export const nftRoutes = new Endpoints()
  .get(
    '/nfts',
    { access: 'public', reads: 'nearest', input: { query: NftsQuery } },
    async (c, { query: { cursor, ...filters } }) => {
      const { q, edition: amountType, sale, creator: creatorId } = filters
      const active = sale && true
      const [account, list] = await Promise.all([
        findAccount(c.var.db, c.var.caller),
        readNfts(c.var, { q, amountType, active, creatorId, cursor }),
      ])
      return page(c, {
        title: 'NFTs',
        account,
        head: <Preview title="NFTs" description="All digital collectibles here." path="/nfts" />,
        children: <NftList {...list} filters={filters} isFirst={!cursor} />,
      })
    },
  )
  .get(
    '/nfts/:id',
    { access: 'public', reads: 'nearest', input: { param: z.object({ id: idText }) } },
    async (c, { param: { id } }) => {
      const [account, details] = await Promise.all([
        findAccount(c.var.db, c.var.caller),
        readNft(c.var, id),
      ])
      const { nft } = details
      const { title, creator, description } = nft
      return page(c, {
        title,
        account,
        head: (
          <Preview
            title={title}
            description={description?.slice(0, 200) ?? `${editionOf(nft)} by ${nameOf(creator)}`}
            path={`/nfts/${id}`}
            artOf={nft.imageUrl !== null && id}
          />
        ),
        scripts: ['art.js'],
        children: <NftPage {...details} />,
      })
    },
  )
  .get(
    '/creators/:creator',
    {
      access: 'public',
      reads: 'nearest',
      input: { param: CreatorParam, query: NftsQuery.pick({ cursor: true }) },
    },
    async (c, { param: { creator: name }, query: { cursor } }) => {
      const named = typeof name === 'number' ? { creatorId: name } : { creator: name }
      const [account, { creator, ...list }] = await Promise.all([
        findAccount(c.var.db, c.var.caller),
        readNfts(c.var, { ...named, cursor }),
      ])
      if (!creator) throw new ApiError('not_found', 'there is no such creator')
      const title = nameOf(creator)
      const description = `${title} has released ${plural(creator.nfts, 'NFT')} here.`
      return page(c, {
        title,
        account,
        head: <Preview title={title} description={description} path={creatorPath(creator)} />,
        children: <CreatorPage {...list} creator={creator} isFirst={!cursor} />,
      })
    },
  )
