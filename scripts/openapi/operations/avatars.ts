import * as z from 'zod'
import { MAX_BYTES } from '../../../src/avatars/limits.ts'
import { MAX_EDGE, MAX_PIXELS } from '../../../src/avatars/picture.ts'
import { MAX_REDIRECTS, TIMEOUT } from '../../../src/avatars/remote.ts'
import type { Operations } from '../operation.ts'

const Avatar = z
  .object({
    avatarUrl: z
      .url()
      .describe('URL of the avatar. Users without an avatar have a default picture.'),
  })
  .meta({ id: 'Avatar', description: 'Where the avatar is.' })

const replacing = {
  answer: Avatar,
  errors: ['forbidden', 'not_found', 'payload_too_large', 'unsupported_media_type'],
} as const
const storedDescription =
  'The picture is a JPEG, PNG, GIF or WebP file. AVIF and HEIC are converted if the plan of the ' +
  `instance includes them. It has at most ${MAX_BYTES / 1024 / 1024} MiB and ${MAX_PIXELS / 1e6} megapixels. ` +
  `It is stored as a JPEG of at most ${MAX_EDGE} × ${MAX_EDGE} pixels without metadata, and ` +
  'replaces the previous avatar.'

export const avatarOperations: Operations = {
  getAvatar: {
    summary: "Get the URL of a user's avatar",
    description: 'Any token may read the avatar of any user.',
    answer: Avatar,
    errors: ['not_found'],
  },
  replaceAvatar: {
    ...replacing,
    summary: "Replace a user's avatar with the picture at a URL",
    description:
      'The URL is http or https, and points to a public host. The download ' +
      `follows up to ${MAX_REDIRECTS} redirects and takes at most ${TIMEOUT / 1000} seconds. ${storedDescription}`,
  },
  uploadAvatarFile: {
    ...replacing,
    summary: "Replace a user's avatar with a file in a form",
    description: storedDescription,
    body: {
      type: 'multipart/form-data',
      schema: z
        .object({ avatar: z.file().describe('The picture.') })
        .meta({ id: 'AvatarForm', description: 'A form with the new avatar.' }),
    },
  },
  uploadAvatarBytes: {
    ...replacing,
    summary: "Replace a user's avatar with the bytes of the body",
    description: `The bytes decide, whatever \`Content-Type\` says. ${storedDescription}`,
    body: { type: 'application/octet-stream', schema: z.file().describe('The picture.') },
  },
  getPicture: {
    summary: 'Get a picture',
    description: 'Serves the picture at an `avatarUrl`. The picture at a URL never changes.',
    answer: z.file().mime('image/jpeg').describe('The picture.'),
    headers: {
      ETag: 'Identifies the picture, for `If-None-Match`.',
      'Cache-Control': 'For how long caches may keep the response.',
    },
    bodiless: { 304: 'The picture has the ETag that `If-None-Match` names.' },
    errors: ['not_found'],
  },
}
