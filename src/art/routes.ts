import * as z from 'zod'
import { pictureAnswer } from '../avatars/serve.ts'
import { TIMEOUT } from '../http/download.ts'
import { Endpoints } from '../http/endpoint.ts'
import { cacheControl } from '../http/headers.ts'
import { idText } from '../http/inputs.ts'
import { peopleLimits } from '../limits.ts'
import { SECOND } from '../time.ts'
import { answerArt } from './answer.ts'
import { artSizes, readArt } from './art.ts'

const ArtParam = z.object({
  id: idText.describe('Id of the NFT.'),
  size: z
    .enum(['card', 'page'])
    .describe(
      `At most ${artSizes.card} pixels wide and high, or ${artSizes.page}; an uploaded cover has at most ` +
        `${artSizes.page} in both.`,
    ),
})

export const artRoutes = new Endpoints().get(
  '/nfts/:id/art/:size',
  {
    id: 'getArt',
    tag: 'Marketplace',
    summary: 'Get the art of an NFT',
    description:
      'Serves the picture at an `imageUrl`, converted to a JPEG. The first request for it may take ' +
      `${TIMEOUT / 1000} seconds. Where there is no picture now, ask again after an hour; an \`img\` ` +
      'of a browser gets a transparent GIF with the 404.',
    access: 'public',
    reads: 'nearest',
    input: { param: ArtParam },
    cache: cacheControl(peopleLimits.artAge.max / SECOND),
    ...pictureAnswer,
  },
  async (c, { param }) => {
    const ctx = { ...c.var, bucket: c.env.AVATARS, images: c.env.IMAGES }
    return answerArt(c, await readArt(ctx, param))
  },
)
