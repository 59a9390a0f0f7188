/**
 * Encrypts the codes of NFTs: `<key id>.<initialization vector and AES-256-GCM, base64url>`. The id of the NFT
 * is authenticated with each, so that none can be moved to another NFT.
 */
import { base64url } from 'jose'
import { hexToBytes } from 'viem/utils'
import type { Settings } from '../env.ts'

type CodeKeys = Pick<Settings, 'CODE_KEYS'>

const ALGORITHM = 'AES-GCM'
/** Bytes, random for each code (NIST SP 800-38D). */
const IV_LENGTH = 12

const importKey = (k: string, usage: 'encrypt' | 'decrypt') =>
  crypto.subtle.importKey('raw', base64url.decode(k), ALGORITHM, false, [usage])

const parametersOf = (iv: Uint8Array<ArrayBuffer>, nftId: number) => ({
  name: ALGORITHM,
  iv,
  additionalData: new TextEncoder().encode(`nft:${nftId}`),
})

/** Encrypts with the first key. */
export async function sealCodes(
  { CODE_KEYS: { keys } }: CodeKeys,
  nftId: number,
  codes: readonly string[],
): Promise<string[]> {
  const [first] = keys
  if (!first) throw new Error('CODE_KEYS has no key')
  const key = await importKey(first.k, 'encrypt')
  return Promise.all(
    codes.map(async (code) => {
      const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH))
      const text = new TextEncoder().encode(code)
      const bytes = new Uint8Array(await crypto.subtle.encrypt(parametersOf(iv, nftId), key, text))
      return `${first.kid}.${base64url.encode(new Uint8Array([...iv, ...bytes]))}`
    }),
  )
}

/** Throws if CODE_KEYS lacks a key, or a text was changed. */
export async function openCodes(
  { CODE_KEYS: { keys } }: CodeKeys,
  nftId: number,
  sealed: readonly string[],
): Promise<string[]> {
  if (sealed.length === 0) return []
  const imported = await Promise.all(
    keys.map(async ({ kid, k }) => [kid, await importKey(k, 'decrypt')] as const),
  )
  const keysById = new Map(imported)
  return Promise.all(
    sealed.map(async (text) => {
      const [kid = '', encoded = ''] = text.split('.')
      const key = keysById.get(kid)
      if (!key) throw new Error(`CODE_KEYS has no key ${kid}, which has encrypted codes`)
      const bytes = new Uint8Array(base64url.decode(encoded))
      const parameters = parametersOf(bytes.slice(0, IV_LENGTH), nftId)
      const code = await crypto.subtle.decrypt(parameters, key, bytes.slice(IV_LENGTH))
      return new TextDecoder().decode(code)
    }),
  )
}

/** Returns a hash of each code, by which the same code is found again. A copy of the database finds none. */
export async function hashCodes(
  { DELIVERY_KEY_SECRET }: Pick<Settings, 'DELIVERY_KEY_SECRET'>,
  codes: readonly string[],
): Promise<string[]> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = hexToBytes(`0x${DELIVERY_KEY_SECRET}`)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  return Promise.all(
    codes.map(async (code) => {
      const text = new TextEncoder().encode(`code:${code}`)
      return base64url.encode(new Uint8Array(await crypto.subtle.sign('HMAC', key, text)))
    }),
  )
}
