/** Public pages: NFTs and their creators. */
import { Hono } from 'hono'
import * as z from 'zod'
import { findAccount } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, validate } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, inputText } from '../../http/inputs.ts'
import { readNfts } from '../../marketplace/cards.ts'
import { readNft } from '../../marketplace/nft.ts'
import { creatorPath, editionOf, nameOf } from '../components/nfts.tsx'
import { plural } from '../components/numbers.ts'
import { Preview } from '../components/preview.tsx'
import { page } from '../page.tsx'
import { NftPage } from './details.tsx'
import { CreatorPage, NftList } from './list.tsx'
import { NftsQuery } from './query.ts'

const CreatorParam = z.object({ creator: idText.or(inputText(30)) })

export const nftRoutes = new Hono<App>()
  .get('/nfts', publicEndpoint(), validate('query', NftsQuery), async (c) => {
    const { cursor, ...filters } = c.req.valid('query')
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
  })
  .get('/nfts/:id', publicEndpoint(), validate('param', z.object({ id: idText })), async (c) => {
    const { id } = c.req.valid('param')
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
  })
  .get(
    '/creators/:creator',
    publicEndpoint(),
    validate('param', CreatorParam),
    validate('query', NftsQuery.pick({ cursor: true })),
    async (c) => {
      const { creator: name } = c.req.valid('param')
      const { cursor } = c.req.valid('query')
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
