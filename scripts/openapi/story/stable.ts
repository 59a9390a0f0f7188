/**
 * Replaces what differs from run to run. A value is always replaced by the same value, numbered by
 * its first appearance, so that the calls still agree with each other.
 */
import { createHash } from 'node:crypto'
import { DEFAULT_PICTURE } from '../../../src/avatars/url.ts'

const hex = (text: string) => createHash('sha256').update(text).digest('hex')

const uuid = (text: string) =>
  hex(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5')

type Kind = { pattern: RegExp; replacement: (n: number) => string }

/** The longer ones first. */
const kinds: Kind[] = [
  { pattern: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, replacement: (n) => uuid(`id ${n}`) },
  // Signatures.
  {
    pattern: /\b0x[\da-f]{130}\b/g,
    replacement: (n) => `0x${hex(`r ${n}`)}${hex(`s ${n}`)}1b`,
  },
  // Hashes of transactions, and delivery keys.
  { pattern: /\b0x[\da-f]{64}\b/g, replacement: (n) => `0x${hex(`hash ${n}`)}` },
  // Nonces of messages.
  { pattern: /\b[\da-f]{64}\b/g, replacement: (n) => hex(`nonce ${n}`) },
  {
    pattern: new RegExp(`\\b(?!${DEFAULT_PICTURE})[\\da-f]{48}\\b`, 'g'),
    replacement: (n) => hex(`picture ${n}`).slice(0, 48),
  },
  // Public keys of 32 bytes.
  {
    pattern: /(?<="x": ")[\w-]{43}(?=")/g,
    replacement: (n) => Buffer.from(hex(`key ${n}`), 'hex').toString('base64url'),
  },
  // Ids of messages, and secrets of webhooks.
  { pattern: /\bmsg_[\da-f]{32}\b/g, replacement: (n) => `msg_${hex(`message ${n}`).slice(32)}` },
  {
    pattern: /\bwhsec_[\w+/]{43}=/g,
    replacement: (n) => `whsec_${Buffer.from(hex(`secret ${n}`), 'hex').toString('base64')}`,
  },
  // What waits in a queue at this moment.
  { pattern: /(?<="messages": )\d+/g, replacement: () => '0' },
  { pattern: /(?<="oldestMessageSeconds": )-?\d+/g, replacement: () => 'null' },
  {
    pattern: /(?<=marketplace_queue_\w+\{queue=\\"\w+\\"\} )-?\d+/g,
    replacement: () => '0',
  },
  // Milliseconds of an attempt.
  { pattern: /(?<="duration": )\d+/g, replacement: () => '42' },
  { pattern: /(?<="block": )\d+/g, replacement: (n) => String(1000 + n) },
]

/** Between two requests: see clock.ts. */
const timeBetween = /(?<=T\d\d:\d\d:)(?!00)\d\d\.\d{3}(?=Z)/g

/** Returns JSON text with the same values in every run. */
export function stable(json: string): string {
  return kinds.reduce(
    (text, { pattern, replacement }) => {
      const known = new Map<string, string>()
      return text.replace(pattern, (value) => {
        const stableValue = known.get(value) ?? replacement(known.size + 1)
        known.set(value, stableValue)
        return stableValue
      })
    },
    json.replace(timeBetween, '05.000'),
  )
}
