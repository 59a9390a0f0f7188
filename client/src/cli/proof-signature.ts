/** Whether the marketplace says what a proof says. */
import { createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Check, Proof } from './proof.ts'

/** Of the header of a JWS. A token has none. */
const TYPE = 'delivery-proof+jwt'

/** Milliseconds that the site of the keys has to answer. */
const TIMEOUT = 10_000

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/** Whether the marketplace that the caller expects has issued the proof. */
export const checkIssuer = ({ iss }: Proof, issuer: string): Check =>
  iss === withoutSlash(issuer)
    ? { name: 'issuer', outcome: 'passed', says: `Issued by ${iss}.` }
    : { name: 'issuer', outcome: 'failed', says: `Issued by ${iss}, not by ${issuer}.` }

/** Checks the signature with the key that the issuer, or `source`, publishes. */
export async function checkSignature(proof: Proof, jws: string, source?: string): Promise<Check> {
  const from = source ?? `${withoutSlash(proof.iss)}/.well-known/proof-jwks.json`
  try {
    const kid = await verifySignature(proof, jws, from)
    return { name: 'signature', outcome: 'passed', says: `Signed with the key ${kid} of ${from}.` }
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    return { name: 'signature', outcome: 'failed', says }
  }
}

/** Returns the id of the key. Throws an error with a sentence. */
async function verifySignature(proof: Proof, jws: string, source: string): Promise<string> {
  const [head = '', body = '', signature = '', ...rest] = jws.split('.')
  const { alg, typ, kid } = decode(head)
  if (rest.length > 0 || alg !== 'EdDSA' || typ !== TYPE || typeof kid !== 'string')
    throw new Error(`\`jws\` is no proof: it needs the type ${TYPE}, EdDSA and a key id.`)
  if (!isDeepStrictEqual(decode(body), proof))
    throw new Error('`jws` signs something else than `proof` says.')
  const key = (await readKeys(source)).find((candidate) => candidate.kid === kid)
  if (!key)
    throw new Error(
      `${source} does not have the key ${kid}. Was it withdrawn? Download the proof again.`,
    )
  const publicKey = createPublicKey({ key, format: 'jwk' })
  const isSigned =
    publicKey.asymmetricKeyType === 'ed25519' &&
    verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))
  if (!isSigned) throw new Error(`The signature does not fit the key ${kid}: this was changed.`)
  return kid
}

function decode(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    return {}
  }
}

type Key = { kty: string; crv: string; x: string; kid: string }

async function readKeys(source: string): Promise<Key[]> {
  try {
    const { keys } = JSON.parse(await readSource(source))
    if (Array.isArray(keys)) return keys
  } catch (error) {
    throw new Error(`The keys cannot be read from ${source}: ${String(error)}`)
  }
  throw new Error(`${source} is not a set of keys.`)
}

async function readSource(source: string): Promise<string> {
  if (!/^https?:/.test(source)) return readFile(source, 'utf8')
  const { protocol, hostname } = new URL(source)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Error('without https, anybody on the way can replace them')
  const response = await fetch(source, {
    ...{ redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) },
  })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.text()
}
