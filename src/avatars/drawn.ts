/** The picture of a user who has given none: drawn from the id, so always the same. */
import { identicon } from './identicon.ts'
import { toJpeg } from './picture.ts'
import { pngOf } from './png.ts'

/**
 * `DRAWN` in url.ts stands for what is drawn here. Drawn as a PNG, because Cloudflare's converter,
 * unlike that of `wrangler dev`, makes no pixels of an SVG.
 */
export const drawnAvatar = async (
  images: ImagesBinding,
  userId: number,
): Promise<Uint8Array<ArrayBuffer>> =>
  toJpeg(images, new Blob([await pngOf(await identicon(`user ${userId}`))]))
