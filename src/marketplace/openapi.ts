import * as z from 'zod'
import { count, id, orNull, positive, text, time } from '../http/fields.ts'
import type { EndpointInfos } from '../http/openapi.ts'
import { MAX_AGE } from './cached.ts'

const tag = 'Marketplace'
const description = `The response may be up to ${MAX_AGE} seconds old.`
const headers = {
  'Cache-Control': 'For how long caches may keep the response.',
  Age: 'Seconds since the response was made. Absent if it is new.',
}

const Stats = z
  .object({
    nfts: z
      .object({
        total: count('All NFTs.'),
        unique: count('NFTs with one piece.'),
        rare: count('NFTs with a limited number of pieces.'),
        unlimited: count('NFTs without a limit.'),
      })
      .describe('Numbers of NFTs that are released and not deleted.'),
  })
  .meta({ id: 'Stats', description: 'Statistics of the marketplace.' })

const Creator = z
  .object({
    id: id('User id of the creator.'),
    name: orNull(text('Name.')),
    username: orNull(text('User name.')),
    avatarUrl: z.url().describe('URL of the avatar.'),
    nfts: positive('Number of NFTs that are released and not deleted.'),
    latestReleaseAt: time('Time of the latest release.'),
  })
  .meta({ id: 'Creator', description: 'A user who has released NFTs.' })

const Creators = z
  .object({
    creators: z.array(Creator).describe('Creators, the latest release first.'),
    stats: Stats.describe('The same numbers as `GET /api/public/stats`.'),
  })
  .meta({ id: 'Creators', description: 'The creators with the latest releases.' })

export type Stats = z.infer<typeof Stats>
export type Creators = z.infer<typeof Creators>

export const marketplaceEndpoints = {
  'GET /api/public/stats': {
    tag,
    operationId: 'getStats',
    summary: 'Count the NFTs',
    description,
    answer: z.object({ stats: Stats }).meta({ id: 'StatsAnswer', description: 'The numbers.' }),
    headers,
  },
  'GET /api/public/creators': {
    tag,
    operationId: 'listCreators',
    summary: 'List recent creators',
    description,
    answer: Creators,
    headers,
  },
} satisfies EndpointInfos
