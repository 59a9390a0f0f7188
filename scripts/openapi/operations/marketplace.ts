import * as z from 'zod'
import { TIMEOUT } from '../../../src/avatars/remote.ts'
import { orNull, text } from '../../../src/http/fields.ts'
import { resources } from '../../../src/marketplace/page.ts'
import { MAX_AGE } from '../../../src/marketplace/routes.ts'
import type { Operations } from '../operation.ts'
import { Creators, PublicListing, PublicNft, Stats } from '../public-schemas.ts'

const shared = {
  description: `The response may be up to ${MAX_AGE} seconds old.`,
  headers: {
    'Cache-Control': 'For how long caches may keep the response.',
    Age: 'Seconds since a cache got the response. Absent if it is new.',
  },
}
const released = `Shows NFTs that are released, and their listings. ${shared.description}`
const pages =
  `${released} A page may be shorter than \`limit\` before the last one: go on until ` +
  '`nextCursor` is null. To follow changes, send as `updatedSince` the time of your last call less ' +
  '5 minutes. Single sales, reservations and the end of a listing do not change `updatedAt`; what ' +
  'is withdrawn is absent.'
const schemas = { listings: PublicListing, nfts: PublicNft }
const ofList = (list: keyof typeof resources, id: string, name: string): Operations => {
  const elements = z.object({ [list]: z.array(schemas[list]).describe('What was found.') })
  const page = elements.extend({
    nextCursor: orNull(text('The next `cursor`; null on the last page.')),
  })
  return {
    [`list${id}`]: {
      ...shared,
      summary: `List ${name}`,
      description: pages,
      answer: page.meta({ id: `Public${id}Page`, description: 'A page.' }),
    },
    [`get${id}`]: {
      ...shared,
      summary: `Get ${name}`,
      description: `${released} Also shows what is unlisted.`,
      answer: elements.meta({ id: `Public${id}`, description: 'In the order of the path.' }),
      errors: [resources[list].notFound],
    },
  }
}

export const marketplaceOperations: Operations = {
  getStats: {
    ...shared,
    summary: 'Count the NFTs',
    answer: z.object({ stats: Stats }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
  },
  listCreators: { ...shared, summary: 'List recent creators', answer: Creators },
  ...ofList('listings', 'Listings', 'listings'),
  ...ofList('nfts', 'Nfts', 'NFTs'),
  getArt: {
    summary: 'Get the art of an NFT',
    description:
      'Serves the picture at an `imageUrl`, converted to a JPEG. The first request for it may take ' +
      `${TIMEOUT / 1000} seconds. ` +
      'Where there is no picture now, ask again after an ' +
      'hour; an `img` of a browser gets a transparent GIF with the 404.',
    answer: z.file().mime('image/jpeg').describe('The picture.'),
    headers: {
      ETag: 'Identifies the picture, for `If-None-Match`.',
      'Cache-Control': 'For how long caches may keep the response.',
    },
    bodiless: { 304: 'The picture has the ETag that `If-None-Match` names.' },
    errors: ['not_found'],
  },
}
