/**
 * Sign-In with Ethereum (EIP-4361). The message is ours to the letter: we write it, and take back
 * only what we would have written. Its nonce is the hash of a secret that only the browser which
 * asked for it holds, so that a message somebody got hold of is of no use in another browser.
 */
import { and, eq, gt, notExists, sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { getAddress, verifyMessage } from 'viem/utils'
import type { Database } from '../db/client.ts'
import { walletNonces } from '../db/schema.ts'
import type { Network, Settings } from '../env.ts'
import { ApiError } from '../http/errors.ts'
import { isSignedByContract } from './contract-wallet.ts'
import { randomSecret, sha256 } from './secret.ts'
import type { Proof } from './sign-in.ts'

/** How long a message may wait for its signature, in milliseconds. */
export const MESSAGE_LIFE = 10 * 60 * 1000

const statements = {
  'sign-in': 'Sign in to the marketplace.',
  link: 'Link this wallet to your marketplace account.',
}
export type Purpose = keyof typeof statements

type Site = Pick<Settings, 'PUBLIC_URL' | 'NETWORKS'>
type Wallet = { address: Hex; chainId: number }
type Signed = { message: string; signature: Hex; purpose: Purpose; secret: string | undefined }

/** The address in its EIP-55 spelling. */
export type WalletProof = Proof & { address: Hex }

/** A message for the wallet to sign, and the secret for the browser to keep. Throws `invalid_input`. */
export async function offerMessage(
  db: Database,
  site: Site,
  wallet: Wallet & { purpose: Purpose },
  now: Date,
): Promise<{ message: string; secret: string }> {
  networkOf(site, wallet.chainId)
  const secret = randomSecret()
  const nonce = await sha256(secret)
  const expirationTime = new Date(now.getTime() + MESSAGE_LIFE)
  await db.insert(walletNonces).values({ nonce, expiresAt: expirationTime.toISOString() })
  const message = write(site, { ...wallet, nonce, issuedAt: now, expirationTime })
  return { message, secret }
}

/**
 * The wallet that signed one of our messages in this browser. Whether its nonce is still unused
 * is for the transaction that uses it. Throws `invalid_input`, `unauthenticated`.
 */
export async function walletProof(
  db: Database,
  site: Site,
  { message, signature, purpose, secret }: Signed,
  now: Date,
): Promise<WalletProof> {
  const fields = parseSiweMessage(message)
  const { address, chainId, nonce, issuedAt, expirationTime } = fields
  if (!address || !chainId || !nonce || !issuedAt || !expirationTime)
    throw new ApiError('invalid_input', 'message: must be the one that was offered')
  const { host } = new URL(site.PUBLIC_URL)
  if (fields.domain !== host) throw refused(`the message is for ${fields.domain}, not for ${host}`)
  const network = networkOf(site, chainId)
  if (!validateSiweMessage({ message: fields, domain: host, time: now }))
    throw refused('the message has expired: please try again')
  const ours = write(site, { address, chainId, nonce, issuedAt, expirationTime, purpose })
  if (message !== ours) throw refused('the message is not the one that was offered')
  if (!secret || nonce !== (await sha256(secret)))
    throw refused('the message was offered to another browser')
  if (!(await isSigned(network, { address, message, signature })))
    throw refused('the signature is not that of the wallet')
  return proofOf(db, getAddress(address), nonce, now)
}

const proofOf = (db: Database, address: Hex, nonce: string, now: Date): WalletProof => ({
  address,
  method: 'wallet',
  value: sql`${address}`,
  unlessLive: {
    when: notExists(
      db
        .select({ nonce: walletNonces.nonce })
        .from(walletNonces)
        .where(and(eq(walletNonces.nonce, nonce), gt(walletNonces.expiresAt, now.toISOString()))),
    ),
    because: () => refused('the message was used before or has expired: please try again'),
  },
  consume: db.delete(walletNonces).where(eq(walletNonces.nonce, nonce)),
})

type Fields = Wallet & { nonce: string; issuedAt: Date; expirationTime: Date; purpose: Purpose }

function write({ PUBLIC_URL }: Site, { purpose, address, ...fields }: Fields): string {
  return createSiweMessage({
    ...fields,
    address: getAddress(address),
    domain: new URL(PUBLIC_URL).host,
    uri: PUBLIC_URL,
    version: '1',
    statement: statements[purpose],
  })
}

function networkOf({ NETWORKS }: Site, chainId: number): Network {
  const network = Object.values(NETWORKS).find((candidate) => candidate.chainId === chainId)
  if (!network)
    throw new ApiError(
      'invalid_input',
      `chainId: the marketplace is on ${Object.keys(NETWORKS).join(', ')}`,
    )
  return network
}

/** A key's own signature needs no chain to check it; a contract's (EIP-1271) does. */
async function isSigned(
  network: Network,
  signed: { address: Hex; message: string; signature: Hex },
) {
  // 65 bytes are the form of a key's signature; a shorter or longer one throws.
  const byKey = await verifyMessage(signed).catch(() => false)
  return byKey || isSignedByContract(network, signed)
}

const refused = (message: string) =>
  new ApiError('unauthenticated', message, { 'WWW-Authenticate': 'Bearer' })
