/** Reads the picture from the body of a request. */
import { bodyError, MAX_FORM_BYTES } from '../http/body.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { MAX_BYTES, readLimited, tooLarge } from './limits.ts'

/** The media type in lower case without parameters; `''` if there is none. */
const mediaType = (contentType: string | null) =>
  contentType?.split(';')[0]?.trim().toLowerCase() ?? ''

/**
 * Rejects types that are clearly not pictures, such as HTML. The converter reads the real format
 * from the bytes.
 */
function requirePictureType(type: string): void {
  if (!/^(image\/.+|application\/octet-stream|)$/.test(type))
    throw new ApiError(
      'unsupported_media_type',
      `send the picture as image/* or application/octet-stream, not as ${type}`,
    )
}

/** Returns the body, whatever type it declares. Throws `payload_too_large`, `invalid_input`. */
export const pictureFromBody = (request: Request): Promise<Blob> => readUpload(request, MAX_BYTES)

/** Throws `payload_too_large`, and `invalid_input` if the body breaks off. */
async function readUpload(request: Request, limit: number): Promise<Blob> {
  try {
    return await readLimited(request, limit)
  } catch (error) {
    throw bodyError(error)
  }
}

/**
 * Returns the file in the form's part `avatar`. Throws `invalid_input` unless there is exactly one,
 * `unsupported_media_type`, `payload_too_large`.
 */
export async function pictureFromForm(request: Request): Promise<Blob> {
  const contentType = request.headers.get('content-type') ?? ''
  if (mediaType(contentType) !== 'multipart/form-data')
    throw new ApiError('unsupported_media_type', 'send the body as multipart/form-data')
  const body = await readUpload(request, MAX_BYTES + MAX_FORM_BYTES)
  const [file, another] = (await parseForm(body, contentType)).getAll('avatar')
  // A browser sends an empty file without a name if the visitor chose none.
  if (!(file instanceof File) || another || (file.size === 0 && file.name === ''))
    throw invalidField('avatar', 'must be exactly one part with a file')
  requirePictureType(mediaType(file.type))
  if (file.size > MAX_BYTES) throw tooLarge()
  if (body.size - file.size > MAX_FORM_BYTES)
    throw new ApiError('payload_too_large', 'the form may have at most 16 KiB beside the picture')
  return file
}

async function parseForm(body: Blob, contentType: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid multipart/form-data')
  }
}
