/** Whether the marketplace says what a proof says. */
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type ProtectedHeaderParameters,
} from 'jose'
import { type Check, failed, type Proof, passed, unknown } from './proof.ts'
import { readText } from './read.ts'

/** Of the header of a JWS. A token has none. */
const TYPE = 'delivery-proof+jwt'

/** Milliseconds that the site of the keys has for its whole answer. */
const TIMEOUT = 10_000

/** Bytes of a set of keys: some 500 keys. */
const MAX_KEYS = 64 * 1024

/** The keys cannot be read, so nothing is known of the signature. */
class NoKeysError extends Error {}

type Expected = {
  /** The origin of the marketplace that the caller expects. Default: that of the proof. */
  issuer: string | undefined
  /** Where the keys are. Default: the site of the marketplace. */
  keys: string | undefined
}

/** Checks who has signed. Asks nothing of a site that the caller has not named, if it named one. */
export async function checkSigner(
  proof: Proof,
  jws: string,
  { issuer, keys }: Expected,
): Promise<Check[]> {
  const { iss } = proof
  if (issuer !== undefined && issuer !== iss)
    return [
      unknown('signature', 'Not checked.'),
      failed('issuer', `The proof names ${iss}, not ${issuer}.`),
    ]
  const signature = await checkSignature(proof, jws, keys ?? `${iss}/.well-known/proof-jwks.json`)
  if (issuer === undefined) return [signature]
  return [
    signature,
    signature.outcome === 'passed'
      ? passed('issuer', `Issued by ${iss}.`)
      : unknown('issuer', `The proof names ${iss}. Without its signature, anybody can.`),
  ]
}

async function checkSignature(proof: Proof, jws: string, source: string): Promise<Check> {
  try {
    const kid = await verifySignature(proof, jws, source)
    return passed('signature', `Signed with the key ${kid} of ${source}.`)
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    return error instanceof NoKeysError ? unknown('signature', says) : failed('signature', says)
  }
}

/** Returns the id of the key. Throws an error with a sentence. */
async function verifySignature(proof: Proof, jws: string, source: string): Promise<string> {
  const kid = readKeyId(jws)
  if (!isDeepStrictEqual(decodeJwt(jws), proof))
    throw new Error('`jws` signs something else than `proof` says.')
  const findKey = await readKeys(source)
  try {
    await compactVerify(jws, findKey, { algorithms: ['EdDSA'] })
    return kid
  } catch (error) {
    throw new Error(
      error instanceof errors.JWKSNoMatchingKey
        ? `${source} does not have the key ${kid}. Was it withdrawn? Download the proof again.`
        : `The signature does not fit the key ${kid}: this was changed.`,
    )
  }
}

/** Returns the id of the key that the header of a proof names. Throws an error for another JWS. */
function readKeyId(jws: string): string {
  const { alg, typ, kid, crit } = decodeHeader(jws)
  if (alg !== 'EdDSA' || typ !== TYPE || typeof kid !== 'string')
    throw new Error(`\`jws\` is no proof: it needs the type ${TYPE}, EdDSA and a key id.`)
  if (crit !== undefined) throw new Error('`jws` asks for more than a proof has: `crit`.')
  return kid
}

function decodeHeader(jws: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(jws)
  } catch {
    return {}
  }
}

/** Returns what finds the key of a signature. */
async function readKeys(source: string) {
  try {
    return createLocalJWKSet(JSON.parse(await readText(await openSource(source), MAX_KEYS)))
  } catch (error) {
    throw new NoKeysError(`The keys cannot be read from ${source}: ${describe(error)}.`)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

async function openSource(source: string): Promise<AsyncIterable<Uint8Array>> {
  if (!/^https?:/.test(source)) return createReadStream(source)
  const { protocol, hostname } = new URL(source)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Error('without https, anybody on the way can replace them')
  const response = await fetch(source, {
    ...{ redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) },
  })
  if (response.ok && response.body) return response.body
  // Or the rest of it keeps the program waiting.
  await response.body?.cancel()
  throw new Error(`status ${response.status}`)
}
