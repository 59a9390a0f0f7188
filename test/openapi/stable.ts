import { sha256, stringToBytes } from 'viem'
import { DEFAULT_PICTURE } from '../../src/avatars/serve.ts'

const UUID_LENGTH = 36

/** Ids; secrets of webhooks and public keys; addresses; signatures, hashes, names of pictures. */
const random =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|(?<=whsec_|"x":")[\w+/-]{43}|(?<=0x)[aA]{2}0{30}[\da-fA-F]{8}|(?<![\da-f])(?:[\da-f]{130}|[\da-f]{64}|[\da-f]{48}|[\da-f]{32})(?![\da-f])/g

/**
 * Replaces values that were made at random, so that every run returns the same text. A value is
 * always replaced by the same one, so that requests and answers still agree with each other.
 */
export function stable(text: string): string {
  const known = new Map([[DEFAULT_PICTURE, DEFAULT_PICTURE]])
  // The size of the database changes with any statement.
  const fixed = text
    .replace(/(?<="bytes": ?)\d+/g, '1048576')
    .replace(/\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, 'header.payload.signature')
  return fixed.replace(random, (value) => {
    // An address comes with and without a checksum.
    const key = value.toLowerCase()
    const replacement = known.get(key) ?? numbered(known.size, value.length)
    known.set(key, replacement)
    return replacement
  })
}

/** Returns the same digits for the same number. */
function numbered(n: number, length: number): string {
  const digits = sha256(stringToBytes(`value ${n}`))
    .slice(2)
    .repeat(3)
  return length === UUID_LENGTH
    ? digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
    : digits.slice(0, length)
}
