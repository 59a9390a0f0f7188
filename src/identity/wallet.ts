/**
 * Sign-In with Ethereum (EIP-4361). The server writes the message and accepts it only unchanged.
 * The nonce is the hash of a secret in a cookie of the browser that requested the message, so a
 * stolen message does not work in another browser.
 */
import { eq, sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { getAddress, hashMessage, isErc6492Signature } from 'viem/utils'
import { believe } from '../chain/claims.ts'
import { askEach, nodes } from '../chain/nodes.ts'
import { walletNonces } from '../db/schema/users.ts'
import type { Network, Settings } from '../env.ts'
import {
  contractCode,
  hex,
  inconclusive,
  type Replies,
  type RpcRequest,
  read,
} from '../ethereum/requests.ts'
import { isSignedBy } from '../ethereum/signer.ts'
import { contractSignature, type SignedMessage } from '../ethereum/wallet-signature.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { mailLimits } from '../limits.ts'
import { log } from '../log.ts'
import { hashWallet } from './namespace.ts'
import { hashSecret, newSecret, type Proof } from './sign-in.ts'
import { isUnowned } from './wallet-address.ts'

const statements = {
  'sign-in': 'Sign in to the marketplace.',
  link: 'Link this wallet to your marketplace account.',
}
type Purpose = keyof typeof statements

type Site = Pick<Settings, 'PUBLIC_URL' | 'NETWORKS'>
type SiteCtx = Omit<Ctx, 'caller'> & { settings: Site }
/** What the message is for. `account`: the masked e-mail address of the one that gets the wallet, if it must be named. */
export type Goal = { purpose: Purpose; account?: string }
type WalletRequest = Goal & { address: Hex; chainId: number }
type WalletProof = Goal & Omit<SignedMessage, 'address'> & { secret: string | undefined }

/** Returns a message to sign, and the secret for the browser. */
export async function createWalletMessage({ db, now, settings }: SiteCtx, request: WalletRequest) {
  requireNetwork(settings, request.chainId, 'chainId')
  const secret = newSecret()
  const nonce = hashSecret(secret)
  const expirationTime = new Date(now.getTime() + mailLimits.message.max)
  await db.insert(walletNonces).values({ nonce, expiresAt: expirationTime.toISOString() })
  const message = writeMessage(settings, { ...request, nonce, issuedAt: now, expirationTime })
  return { message, secret }
}

/**
 * Verifies a signed message and returns the proof of its wallet. The transaction that uses the
 * proof checks that its nonce is unused.
 */
export async function verifyWalletMessage(
  { db, now, settings }: SiteCtx,
  { message, signature, secret, ...goal }: WalletProof,
): Promise<Proof> {
  const fields = parseSiweMessage(message)
  const { address, chainId, nonce, issuedAt, expirationTime } = fields
  if (!address || !chainId || !nonce || !isTime(issuedAt) || !isTime(expirationTime))
    throw invalidField('message', 'must be a message that this site wrote')
  if (isUnowned(address)) throw invalidField('message', 'must be for an address that has an owner')
  const { host } = new URL(settings.PUBLIC_URL)
  if (fields.domain !== host)
    throw invalidMessage(`the message is for ${fields.domain}, not for ${host}`)
  const network = requireNetwork(settings, chainId, 'message')
  if (!validateSiweMessage({ message: fields, domain: host, time: now }))
    throw invalidMessage('the message has expired: please try again')
  const request = { address, chainId, nonce, issuedAt, expirationTime, ...goal }
  if (message !== writeMessage(settings, request))
    throw invalidMessage('the message is not the one that this site wrote')
  if (!secret || nonce !== hashSecret(secret))
    throw invalidMessage('the message was requested by another browser')
  // The signature of a key is checked here, and that of a contract (EIP-1271) with a call.
  const isOfKey = isSignedBy(address, hashMessage(message), signature)
  if (!isOfKey && !(await isSignedByContract(network, { address, message, signature })))
    throw invalidMessage('the signature does not match the wallet')
  // A key owns its address on every chain, and a contract on its own chain only. That is also so for a contract
  // that a key lets act for it (EIP-7702): what nodes say never proves a key.
  const walletChainId = isOfKey ? 0 : network.chainId
  const isWrapped = !isOfKey && isErc6492Signature(signature)
  const walletProvedByFactory = isWrapped && (await isUndeployed(network, address))
  const wallet = getAddress(address)
  return {
    method: 'wallet',
    value: sql`${wallet}`,
    walletChainId,
    walletProvedByFactory,
    identityHash: sql`${hashWallet(wallet, walletChainId)}`,
    guard: {
      when: sql`NOT EXISTS (SELECT 1 FROM walletNonces
        WHERE nonce = ${nonce} AND expiresAt > ${now.toISOString()})`,
      error: () => invalidMessage('the message was used before or has expired: please try again'),
    },
    consume: db.delete(walletNonces).where(eq(walletNonces.nonce, nonce)),
  }
}

/** viem makes an invalid `Date` of any text. */
const isTime = (time: Date | undefined): time is Date => !Number.isNaN(time?.getTime() ?? NaN)

type MessageFields = WalletRequest & { nonce: string; issuedAt: Date; expirationTime: Date }

const writeMessage = (
  { PUBLIC_URL }: Site,
  { purpose, account, ...fields }: MessageFields,
): string => {
  const { host } = new URL(PUBLIC_URL)
  return createSiweMessage({
    ...fields,
    domain: host,
    uri: PUBLIC_URL,
    version: '1',
    // ASCII only (EIP-4361).
    statement: account
      ? `Link this wallet to the account ${account} of ${host}.`
      : statements[purpose],
  })
}

/** `field` is the field of the request that names the chain. */
function requireNetwork({ NETWORKS }: Site, chainId: number, field: string): Network {
  const network = Object.values(NETWORKS).find((candidate) => candidate.chainId === chainId)
  if (!network)
    throw invalidField(
      field,
      `must name the chain of one of these networks: ${Object.keys(NETWORKS).join(', ')}`,
    )
  return network
}

const invalidMessage = (message: string) =>
  new ApiError('unauthenticated', message, { 'WWW-Authenticate': 'Bearer' })

type Nodes = Pick<Network, 'chainId' | 'rpcUrls' | 'callsPerBatch' | 'callsPerSecond'>

/**
 * Returns whether the contract at the address accepts the signature (EIP-1271), or its factory, if it is not
 * deployed yet (EIP-6492).
 */
export async function isSignedByContract(network: Nodes, signed: SignedMessage): Promise<boolean> {
  const question = contractSignature(signed)
  return question !== null && doAllTell(network, question.requests, question.isAccepted)
}

/** A contract that is deployed may belong to somebody else than the one that its factory made. */
function isUndeployed(network: Nodes, address: Hex): Promise<boolean> {
  const code = contractCode(address)
  return doAllTell(network, [code], (replies) => {
    const deployed = read(hex, replies(code))
    return deployed && deployed === '0x'
  })
}

/** Every node is asked, because one that lies could sign in as any contract. */
async function doAllTell(
  network: Nodes,
  requests: readonly RpcRequest[],
  tells: (replies: Replies) => boolean | null,
): Promise<boolean> {
  const all = await askEach(nodes(network), requests)
  const isTold = believe('is_proven', network, all.map(tells))
  if (isTold !== null) return isTold
  const reasons = all.flatMap((replies) =>
    requests.flatMap((request) => inconclusive(replies(request)) ?? []),
  )
  log.error('contract_wallet_check_failed', { reason: reasons.join(', ') })
  throw new ApiError('chain_unavailable', 'the chain does not respond: please try again')
}
