/** Public pages: NFTs and their creators. */
import type { Context } from 'hono'
import * as z from 'zod'
import { reportNft } from '../../creators/reports.ts'
import type { App } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, inputText, writtenText } from '../../http/inputs.ts'
import { creatorLimits } from '../../limits.ts'
import { readNft, readNfts } from '../../marketplace/pages.ts'
import { PublicQuery } from '../../marketplace/query.ts'
import type { Texts } from '../../texts/en.ts'
import { handleForm, parseForm } from '../components/forms.tsx'
import { countOf, creatorPath, editionOf, nameOf, Preview } from '../components/nfts.tsx'
import { page, sent, shown, withAccount } from '../page.tsx'
import { Product } from './product.tsx'
import { CreatorPage, NftList, NftPage } from './views.tsx'

const { q, creatorId, amountType, cursor } = PublicQuery.shape

/** What is not valid counts as absent: `/nfts` with any query is a page. */
const NftsQuery = z.object({
  /** Null if it is not possible. */
  q: writtenText(255)
    .transform((text) => text || undefined)
    .pipe(q)
    .optional()
    .nullable()
    .catch(null),
  edition: amountType.catch(undefined),
  sale: z.literal('on').optional().catch(undefined),
  sort: z.enum(['title', 'price']).optional().catch(undefined),
  creator: creatorId.catch(undefined),
  cursor: cursor.catch(undefined),
})
const CreatorQuery = NftsQuery.pick({ cursor: true })
const CreatorParam = z.object({ creator: idText.or(inputText(30)) })
const NftParam = z.object({ id: idText })
const ReportForm = z.object({ text: inputText(10_000).default('') })
const Report = z.object({ text: writtenText(creatorLimits.report.max, 1) })
const creatorPage = shown.public({ param: CreatorParam, query: CreatorQuery })

export const nftRoutes = new Endpoints({ isTranslated: true })
  .get('/nfts', shown.public({ query: NftsQuery }), async (c, { query }) => {
    const { cursor, ...filters } = query
    const { edition: amountType, sale, sort, creator: creatorId } = filters
    const active = sale && true
    if (filters.q === null) {
      const problems = { q: ({ nfts }: Texts) => nfts.notWords }
      c.set('rejection', { values: { q: c.req.query('q') }, problems, status: 400 })
    }
    // Of no words, nothing is found.
    const q = filters.q === null ? '' : filters.q
    const read = readNfts(c.var, { q, amountType, active, sort, creatorId, cursor })
    const [account, list] = await withAccount(c, read)
    const title = ({ layout }: Texts) => layout.nfts
    const description = ({ nfts }: Texts) => nfts.description
    const head = <Preview title={title} description={description} path="/nfts" />
    return page(c, { title, account, head }, <NftList {...list} filters={filters} />)
  })
  .get('/nfts/:id', shown.public({ param: NftParam }), nftPage)
  .post(
    '/nfts/:id/report',
    sent.session({ param: NftParam, form: ReportForm }),
    handleForm(nftPage, 'text', async (c, { param: { id: nftId }, form }) => {
      await reportNft(c.var, { nftId, ...parseForm(Report, form) })
      return c.redirect(`/nfts/${nftId}?notice=reported`, 303)
    }),
  )
  .get('/creators/:creator', creatorPage, async (c, { param: { creator: name }, query }) => {
    const named = typeof name === 'number' ? { creatorId: name } : { creator: name }
    const read = readNfts(c.var, { ...named, ...query })
    const [account, { creator, ...list }] = await withAccount(c, read)
    if (!creator) throw new ApiError('not_found', 'there is no such creator')
    const title = (texts: Texts) => nameOf(creator, texts)
    const description = (texts: Texts) => texts.nfts.released(title(texts), countOf(creator))
    const head = <Preview title={title} description={description} path={creatorPath(creator)} />
    return page(c, { title, account, head }, <CreatorPage {...list} creator={creator} />)
  })

async function nftPage<E extends App>(c: Context<E>, { param: { id } }: { param: { id: number } }) {
  const [account, details] = await withAccount(c, readNft(c.var, id))
  const { nft } = details
  const { title, creator, description } = nft
  const head = (
    <>
      <Preview
        title={title}
        description={(texts) =>
          description?.slice(0, 200) ?? texts.nfts.editionBy(editionOf(nft), nameOf(creator, texts))
        }
        path={`/nfts/${id}`}
        artOf={nft.imageUrl !== null && id}
      />
      <Product {...details} />
    </>
  )
  return page(c, { title, account, head, scripts: ['art.js'] }, <NftPage {...details} />)
}
