/** Secrets that are given to a browser or mailbox. Only their hash is stored. */
// Not `node:crypto`: importing it adds 4 ms to the start of the Worker.
import { bytesToHex, sha256, stringToBytes } from 'viem/utils'

/** Returns 256 random bits as 64 hexadecimal digits. */
export const newSecret = (): string =>
  bytesToHex(crypto.getRandomValues(new Uint8Array(32))).slice(2)

/** Returns the SHA-256 hash of a secret as 64 hexadecimal digits. */
export const hashSecret = (secret: string): string => sha256(stringToBytes(secret)).slice(2)
