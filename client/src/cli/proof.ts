/** The file of a proof. */
import type { Answer } from '../types.ts'
import { CommandError } from './command.ts'

type ProofFile = Answer<'getProof'>
export type Proof = ProofFile['proof']

/** The result of one check, with a sentence that says what was found. */
export type Check = { name: string; outcome: 'passed' | 'failed' | 'skipped'; says: string }

/** Without what a terminal obeys: a proof may come from a stranger. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD')

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value)
const isAddress = matches(/^0x[\da-f]{40}$/i)
const isHash = matches(/^0x[\da-f]{64}$/)

const content: Record<keyof Proof['content'], (value: unknown) => boolean> = {
  token: isAddress,
  to: isAddress,
  tokenId: (value) => matches(/^\d{1,78}$/)(value) && BigInt(String(value)) < 2n ** 256n,
  amount: isCount,
}

const proof: Record<keyof Proof, (value: unknown) => boolean> = {
  // The path of the keys is appended to it.
  iss: (value) =>
    isText(value) && /^https?:[^?#]*$/.test(URL.canParse(String(value)) ? `${value}` : ''),
  aud: (value) => value === 'delivery-proof',
  iat: isCount,
  orderId: isCount,
  orderItemId: isCount,
  deliveryKey: isHash,
  chainId: isCount,
  contract: isAddress,
  content: (value) => !findWrong(value, content),
  contentHash: matches(/^0x[\da-f]{48}$/),
  transaction: (value) => value === null || isHash(value),
  blockNumber: (value) => value === null || isCount(value),
  blockHash: (value) => value === null || isHash(value),
}

/** Returns the name of a field that is missing, wrong or unknown. */
function findWrong(
  value: unknown,
  fields: Record<string, (value: unknown) => boolean>,
): string | undefined {
  if (typeof value !== 'object' || value === null) return 'all of it'
  const found: Record<string, unknown> = { ...value }
  const names = new Set([...Object.keys(fields), ...Object.keys(found)])
  return [...names].find((name) => !Object.hasOwn(fields, name) || !fields[name]?.(found[name]))
}

/** Returns the proof in a file. Throws a `CommandError` that names what is wrong. */
export function readProof(text: string, file: string): ProofFile {
  const parsed = parseJson(text)
  const wrong =
    findWrong(parsed, { proof: (value) => typeof value === 'object', jws: isText }) ??
    findWrong(Object(parsed).proof, proof)
  if (wrong)
    throw new CommandError(`${file} is not a proof: ${printable(wrong)} is missing or wrong.`)
  return parsed as ProofFile
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
