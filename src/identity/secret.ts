/** Secrets that are given away, and known again only by their hash. */
const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** 256 random bits, as 64 hexadecimal digits. */
export const randomSecret = (): string => hex(crypto.getRandomValues(new Uint8Array(32)))

/** SHA-256 of a text, as 64 hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
