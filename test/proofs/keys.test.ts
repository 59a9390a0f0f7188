/** Proofs and tokens are signed with different keys, and are never taken for each other. */
import { env } from 'cloudflare:workers'
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { readSettings, type SigningKey } from '../../src/env.ts'
import { signProof } from '../../src/proofs/prove.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { aMasterToken, aUser } from '../support/makers.ts'

const settings = readSettings(env)

const proof = {
  iss: 'https://marketplace.test',
  aud: 'delivery-proof',
  iat: 1772442030,
  orderId: 1,
}

const publishedBy = (bindings: Partial<Env>) =>
  answerOf<{ keys: SigningKey[] }>(callWith(bindings, 'GET', '/.well-known/proof-jwks.json'))

const secret = (keys: readonly object[]) => ({ PROOF_KEYS: JSON.stringify({ keys }) })

describe('the keys of proofs', () => {
  it('are published without their private parts, and caches may keep them', async () => {
    const response = await call('GET', '/.well-known/proof-jwks.json')
    const [{ kid, x }] = settings.PROOF_KEYS.keys
    expect(await response.json()).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', kid, x, alg: 'EdDSA', use: 'sig' }],
    })
    expect(response.headers.get('cache-control')).toBe('public, max-age=300, stale-if-error=300')
  })

  it('are not among those of tokens', async () => {
    const published = call('GET', '/.well-known/jwks.json')
    const { keys } = await answerOf<{ keys: SigningKey[] }>(published)
    expect(keys.map(({ kid }) => kid)).not.toContain(settings.PROOF_KEYS.keys[0].kid)
  })

  it('stay published when they are retired, and verify what they have signed', async () => {
    const [old, current] = [await generateSigningKey(), await generateSigningKey()]
    const jws = await signProof(readSettings({ ...env, ...secret([old]) }), proof)
    const { d, ...retired } = old
    const published = await publishedBy(secret([current, retired]))
    expect(published.keys.map(({ kid }) => kid)).toEqual([current.kid, old.kid])
    expect(JSON.stringify(published)).not.toContain('"d"')
    expect((await jwtVerify(jws, createLocalJWKSet(published))).payload).toEqual(proof)
    const next = await signProof(readSettings({ ...env, ...secret([current, retired]) }), proof)
    expect((await jwtVerify(next, createLocalJWKSet(published))).protectedHeader.kid).toBe(
      current.kid,
    )
  })

  it.each([
    ['no key', []],
    ['a public key first', [{ ...settings.PROOF_KEYS.keys[0], d: undefined }]],
  ])('are refused: %s', (_, keys) => {
    expect(() => readSettings({ ...env, ...secret(keys) })).toThrow(/PROOF_KEYS\.keys/)
  })
})

describe('a proof is no token', () => {
  /** Claims of a token that is live, so that only what differs can be the reason. */
  async function liveClaims() {
    const jwt = await aMasterToken()
    return JSON.parse(atob(jwt.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
  }
  const use = async (jwt: string) =>
    (await call('GET', '/api/externalOrders', { token: jwt })).status

  it('as it is issued, and even with the claims of a live token', async () => {
    for (const claims of [proof, await liveClaims()])
      expect(await use(await signProof(settings, claims))).toBe(401)
  })

  it('even if it is signed with a key of tokens', async () => {
    const [key] = settings.JWT_KEYS.keys
    const { id } = await aUser()
    const claims = { ...(await liveClaims()), aud: proof.aud, sub: String(id) }
    const header = { alg: 'EdDSA', typ: 'delivery-proof+jwt', kid: key?.kid ?? '' }
    const jwt = await new SignJWT(claims).setProtectedHeader(header).sign(key ?? {})
    expect(await use(jwt)).toBe(401)
  })
})
