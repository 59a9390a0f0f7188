/**
 * A backup is SQL, compressed with gzip and encrypted with age (https://age-encryption.org/v1), which
 * notices changes and a missing end. To read one without this project: `age -d -i KEY FILE | gunzip`.
 */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { CommandError } from '../../shell/command.ts'
import { writeWhole } from '../../shell/files.ts'

/** Returns what encrypts for the holder of the secret key. Throws a `CommandError`. */
export function encrypterFor(publicKey: string): Encrypter {
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(publicKey.trim())
  } catch {
    throw new CommandError('BACKUP_PUBLIC_KEY must be a public key of age: age1…')
  }
  return encrypter
}

/** Writes a file that only the holder of the secret key can read. */
export async function writeArchive(
  file: string,
  encrypter: Encrypter,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  // An error of the content is thrown where the file is written.
  const zipped = pipeline(content, createGzip(), () => {})
  await writeWhole(file, await encrypter.encrypt(toStream(zipped)))
}

/** Yields what a file has, in Latin-1. Throws a `CommandError` with a wrong key or a damaged file. */
export async function* readArchive(file: string, key: string): AsyncGenerator<string> {
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(key.trim())
  } catch {
    throw new CommandError('BACKUP_KEY must be a secret key of age: AGE-SECRET-KEY-1…')
  }
  try {
    const zipped = await decrypter.decrypt(toStream(createReadStream(file)))
    for await (const bytes of zipped.pipeThrough(new DecompressionStream('gzip')))
      yield Buffer.from(bytes).toString('latin1')
  } catch (error) {
    throw new CommandError(`${file} ${problemOf(error)}`)
  }
}

/** Says what is wrong with a file. The messages of the library may have its text, which may be a key. */
function problemOf(error: unknown): string {
  const { message, code } = Object(error)
  if (/^E[A-Z]+$/.test(code)) return `cannot be read: ${code}.`
  if (/^no identity matched/.test(message)) return 'was encrypted for another key than BACKUP_KEY.'
  if (/^(invalid (version|header$|non-ASCII)|stream ended)/.test(message))
    return 'is not a file of `npm run backup`.'
  return 'is damaged, or its end is missing.'
}

function toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
