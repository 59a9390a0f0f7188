import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import { expect, it } from 'vitest'
import { settingsOf } from '../../src/env.ts'
import { isSignedByContract } from '../../src/identity/contract-wallet.ts'
import { createWalletMessage, verifyWalletMessage } from '../../src/identity/wallet.ts'
import { aChain } from '../support/chain/chain.ts'
import { db } from '../support/makers.ts'
import { aWallet } from '../support/visitor.ts'

/**
 * A contract whose `isValidSignature(bytes32,bytes)` (EIP-1271) accepts signatures that begin with
 * the byte 0x42. It returns (calldata[100] == 0x42) × 0x1626ba7e << 224.
 */
const CODE = '0x60643560f81c604214631626ba7e60e01b0260005260206000f3'
const ADDRESS = '0x00000000000000000000000000000000000c0de1'
/** 130 bytes, like the signatures of two owners. */
const signatureOf = (byte: string): Hex => `0x${byte}${'00'.repeat(129)}`

/** A contract that reverts every call. */
const REVERTING_CODE = '0x60006000fd'

it('accepts a signature that the contract accepts, and rejects another', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, CODE)
  const { chainId, rpcUrl } = chain
  const [network] = Object.values(settingsOf(env).NETWORKS)
  if (!network) throw new Error('no network is configured')
  const site = {
    PUBLIC_URL: 'https://marketplace.test',
    NETWORKS: { own: { ...network, chainId, rpcUrl } },
  }
  const now = new Date()
  const wallet = { address: ADDRESS, chainId: chain.chainId, purpose: 'sign-in' } as const
  const { message, secret } = await createWalletMessage(db, site, wallet, now)
  const signed = { message, secret, purpose: 'sign-in' } as const
  const proof = await verifyWalletMessage(
    db,
    site,
    { ...signed, signature: signatureOf('42') },
    now,
  )
  expect(proof.address.toLowerCase()).toBe(ADDRESS)
  await expect(
    verifyWalletMessage(db, site, { ...signed, signature: signatureOf('43') }, now),
  ).rejects.toThrow('does not match the wallet')
})

it('rejects the signature if the contract reverts', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setCode', ADDRESS, REVERTING_CODE)
  const signed = { address: ADDRESS, message: 'hello', signature: signatureOf('42') } as const
  expect(await isSignedByContract(chain, signed)).toBe(false)
})

it('rejects the signature of another key if the address has no contract', async () => {
  const chain = await aChain()
  const message = 'hello'
  const signature = await aWallet().signMessage({ message })
  const { address } = aWallet()
  expect(await isSignedByContract(chain, { address, message, signature })).toBe(false)
})

it('throws chain_unavailable if the node does not respond or fails', async () => {
  const chain = await aChain()
  const node = { rpcUrl: chain.proxyUrl }
  const signed = { address: ADDRESS, message: 'hello', signature: signatureOf('42') } as const
  for (const http of ['drop', 'malformed', 503] as const) {
    await chain.setFaults({ effect: { http, reach: 'none' } })
    await expect(isSignedByContract(node, signed)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  }
  await chain.setFaults({ effect: { error: { code: -32005, message: 'limit' }, reach: 'none' } })
  await expect(isSignedByContract(node, signed)).rejects.toMatchObject({
    code: 'chain_unavailable',
  })
})
