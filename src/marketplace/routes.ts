import * as z from 'zod'
import { Endpoints } from '../http/endpoint.ts'
import { cacheControl } from '../http/headers.ts'
import { limitText } from '../http/inputs.ts'
import { readCreators } from './creators.ts'
import { readNamed, readPage } from './pages.ts'
import { PublicQuery, References } from './query.ts'
import {
  Creators,
  PublicListings,
  PublicListingsPage,
  PublicNfts,
  PublicNftsPage,
  StatsAnswer,
} from './schema.ts'
import { readStats } from './stats.ts'

/** Seconds for which caches may keep a response. */
const MAX_AGE = 60

const CreatorsQuery = z.object({ limit: limitText(20).describe('Number of creators.') })

const age = `The response may be up to ${MAX_AGE} seconds old.`
/** What all endpoints have in common. */
const cached = {
  access: 'public',
  reads: 'nearest',
  cache: cacheControl(MAX_AGE),
  headers: { Age: 'Seconds since a cache got the response. Absent if it is new.' },
} as const
const released = `Shows NFTs that are released, and their listings. ${age}`
const pages =
  `${released} A page may be shorter than \`limit\` before the last one: go on until ` +
  '`nextCursor` is null. To follow changes, send as `updatedSince` the `Date` header of the first ' +
  'page of your last run less 5 minutes: it tells changes of the record, what sold out or came ' +
  'back, what has ended (up to two minutes later), what became unlisted (`listed` is false), and ' +
  'what was withdrawn or postponed, as `nft_not_released`. ' +
  'Single sales and reservations do not change `updatedAt`.'
const named = `${released} Also shows what is unlisted.`

export const marketplaceRoutes = new Endpoints({ tag: 'Marketplace' })
  .get(
    '/api/public/stats',
    {
      id: 'getStats',
      summary: 'Count the NFTs',
      description: age,
      ...cached,
      answer: StatsAnswer,
    },
    async (c) => ({ stats: await readStats(c.var) }),
  )
  .get(
    '/api/public/creators',
    {
      id: 'listCreators',
      summary: 'List recent creators',
      description: age,
      ...cached,
      input: { query: CreatorsQuery },
      answer: Creators,
    },
    (c, { query }) => readCreators(c.var, query),
  )
  .get(
    '/api/public/listings',
    {
      id: 'listListings',
      summary: 'List listings',
      description: pages,
      ...cached,
      input: { query: PublicQuery },
      answer: PublicListingsPage,
    },
    async (c, { query }) => c.json(await readPage(c.var, 'listings', query)),
  )
  .get(
    '/api/public/listings/:ids',
    {
      id: 'getListings',
      summary: 'Get listings',
      description: named,
      ...cached,
      input: { param: References },
      answer: PublicListings,
      errors: ['listing_not_found'],
    },
    async (c, { param }) => c.json(await readNamed(c.var, 'listings', param.ids)),
  )
  .get(
    '/api/public/nfts',
    {
      id: 'listNfts',
      summary: 'List NFTs',
      description: pages,
      ...cached,
      input: { query: PublicQuery },
      answer: PublicNftsPage,
    },
    async (c, { query }) => c.json(await readPage(c.var, 'nfts', query)),
  )
  .get(
    '/api/public/nfts/:ids',
    {
      id: 'getNfts',
      summary: 'Get NFTs',
      description: named,
      ...cached,
      input: { param: References },
      answer: PublicNfts,
      errors: ['nft_not_found'],
    },
    async (c, { param }) => c.json(await readNamed(c.var, 'nfts', param.ids)),
  )
