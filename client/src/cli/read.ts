/** Reads what may come from a stranger. */

/**
 * Returns the text of a stream, without a byte order mark. Throws an error if it has more than `limit`
 * bytes, and reads no more then.
 */
export async function readText(stream: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw new Error(`it is longer than ${limit / 1024} KB`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
