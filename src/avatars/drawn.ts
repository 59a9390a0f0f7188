/** The picture of a user who has given none: drawn from the id, so always the same. */
import { toPng } from 'jdenticon/node'
import { toJpeg } from './picture.ts'

/**
 * `DRAWN` in url.ts stands for what is drawn here. Drawn as a PNG, because Cloudflare's converter,
 * unlike that of `wrangler dev`, makes no pixels of an SVG.
 */
export const drawnAvatar = (
  images: ImagesBinding,
  userId: number,
): Promise<Uint8Array<ArrayBuffer>> =>
  toJpeg(images, new Blob([toPng(`user ${userId}`, 512, { backColor: '#ffffff' })]))
