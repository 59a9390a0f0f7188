/** The picture that a request carries. Decisions: "Avatars", accepted, limits. */
import { ApiError } from '../http/errors.ts'
import { FORM_OVERHEAD, MAX_BYTES, readLimited, tooLarge } from './limits.ts'

/** The type without its parameters, lower case; empty when there is none. */
const bare = (type: string | null) => type?.split(';')[0]?.trim().toLowerCase() ?? ''

/** The bytes decide what it is; the type only has to allow that they are a picture. */
function assertMayBePicture(type: string): void {
  if (!/^(image\/.+|application\/octet-stream|)$/.test(type))
    throw new ApiError('unsupported_media_type', `a picture is not sent as ${type}`)
}

/** Throws `unsupported_media_type`, `payload_too_large`. */
export async function pictureInBody(request: Request): Promise<Blob> {
  assertMayBePicture(bare(request.headers.get('content-type')))
  return readLimited(request)
}

/** Throws `invalid_input` without exactly one file `avatar`, `unsupported_media_type`, `payload_too_large`. */
export async function pictureInForm(request: Request): Promise<Blob> {
  const type = request.headers.get('content-type')
  if (bare(type) !== 'multipart/form-data')
    throw new ApiError('unsupported_media_type', 'the body must be multipart/form-data')
  const body = await readLimited(request, MAX_BYTES + FORM_OVERHEAD)
  const [file, another] = (await formOf(body, type)).getAll('avatar')
  // A browser sends a file without a name when none was chosen.
  if (!(file instanceof File) || another || (file.size === 0 && file.name === ''))
    throw new ApiError('invalid_input', 'avatar: must be one part that holds a file')
  assertMayBePicture(bare(file.type))
  if (file.size > MAX_BYTES) throw tooLarge()
  return file
}

async function formOf(body: Blob, type: string | null): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': type ?? '' } }).formData()
  } catch {
    throw new ApiError('invalid_input', 'the body is not a whole form')
  }
}
