/** Reads a new picture, from the body of a request or from the server at a URL. */
import type { Context } from 'hono'
import { bufferToFormData } from 'hono/utils/buffer'
import { bodyReader } from '../http/body.ts'
import { type Download, type DownloadFrom, downloadFile } from '../http/download.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { peopleLimits, requestLimits } from '../limits.ts'
import { tooLarge } from './picture.ts'

/** The media type in lower case without parameters; `''` if there is none. */
const mediaType = (contentType: string) => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

const readBytes = bodyReader(peopleLimits.picture.max, tooLarge().message)
const readForm = bodyReader(peopleLimits.picture.max + requestLimits.form.max, tooLarge().message)

/** Returns the body, whatever type it declares. */
export const pictureFromBody = async (c: Context): Promise<Blob> => new Blob([await readBytes(c)])

/** Quotes what lacks quotes: HttpClient of .NET sends `name=avatar`, which the platform does not know. */
function quoteParameters(body: ArrayBuffer): ArrayBuffer {
  const text = Buffer.from(body).toString('latin1')
  const quoted = text.replace(/^content-disposition:.*=[^"\s].*$/gim, (header) => {
    const parameters = header.replace(/(?<=;\s*[\w*]+=)[^\s";]+/g, '"$&"')
    return /;\s*filename=/i.test(header) ? parameters : `${parameters}; filename="avatar"`
  })
  return quoted === text ? body : new Uint8Array(Buffer.from(quoted, 'latin1')).buffer
}

/** Returns the file in the form's part `avatar`. */
export async function pictureFromForm(c: Context): Promise<Blob> {
  const contentType = c.req.header('content-type') ?? ''
  if (mediaType(contentType) !== 'multipart/form-data')
    throw new ApiError('unsupported_media_type', 'send the body as multipart/form-data')
  const body = await readForm(c)
  const form = await bufferToFormData(quoteParameters(body), contentType).catch(() => {
    throw new ApiError('invalid_input', 'the body is not valid multipart/form-data')
  })
  const [file, another] = form.getAll('avatar')
  // A browser sends an empty file without a name if the visitor chose none.
  if (!(file instanceof File) || another || (file.size === 0 && file.name === ''))
    throw invalidField('avatar', 'must be exactly one part with a file')
  const type = mediaType(file.type)
  // Clearly no picture, such as HTML. The converter reads the real format from the bytes.
  if (!/^(image\/.+|application\/octet-stream|)$/.test(type))
    throw new ApiError(
      'unsupported_media_type',
      `send the picture as image/* or application/octet-stream, not as ${type}`,
    )
  if (file.size > peopleLimits.picture.max) throw tooLarge()
  if (body.byteLength - file.size > requestLimits.form.max)
    throw new ApiError('payload_too_large', 'the form may have at most 16 KiB besides the picture')
  return file
}

const picture: Download = {
  accept: 'image/*',
  purpose: 'pictures',
  max: peopleLimits.picture.max,
  tooLarge,
}

/** Downloads a picture of any declared type; the converter checks the bytes. */
export const fetchPicture = (url: string, from: DownloadFrom): Promise<Blob> =>
  downloadFile(url, picture, from)
