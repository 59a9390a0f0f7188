/** How much of a picture is taken in. Decisions: "Avatars", limits. */
import { ApiError } from '../http/errors.ts'

/** Bytes. */
export const MAX_BYTES = 10 * 1024 * 1024

/** What a form may hold around its picture, in bytes: boundaries, headers, small fields. */
export const FORM_OVERHEAD = 64 * 1024

/** Bytes are gathered in blocks, so that a body of tiny chunks costs no more than its length. */
const BLOCK = 256 * 1024

export const tooLarge = (why = `it is larger than ${MAX_BYTES / 1024 / 1024} MiB`) =>
  new ApiError('payload_too_large', `the picture is not taken: ${why}`)

type Body = Pick<Request | Response, 'body' | 'headers'>

/**
 * The whole body, refused as soon as it is longer than `limit` bytes, whatever it said of its
 * length. Throws `payload_too_large`; a body that breaks off throws what the platform throws.
 */
export async function readLimited({ body, headers }: Body, limit = MAX_BYTES): Promise<Blob> {
  if (Number(headers.get('content-length')) > limit) throw tooLarge()
  const blocks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    if (size + chunk.byteLength > limit) throw tooLarge()
    append(blocks, chunk, size)
    size += chunk.byteLength
  }
  return new Blob(blocks).slice(0, size)
}

/** Writes the chunk behind the first `size` bytes of the blocks. */
function append(blocks: Uint8Array<ArrayBuffer>[], chunk: Uint8Array, size: number): void {
  for (let read = 0; read < chunk.byteLength; ) {
    const at = (size + read) % BLOCK
    if (at === 0) blocks.push(new Uint8Array(BLOCK))
    const part = chunk.subarray(read, read + BLOCK - at)
    blocks.at(-1)?.set(part, at)
    read += part.byteLength
  }
}
