/** What a wallet holds and owns, and what a token says of itself. */
import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { holdsPieces, ownsContract, readHoldings, readRoyalty } from '../../src/chain/holding.ts'
import type { Network } from '../../src/env.ts'
import { tokenCalls } from '../support/chain/calls.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Fault } from '../support/chain/faults.ts'
import { anEngine } from '../support/delivery/engine.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

let chain: Chain
beforeAll(async () => {
  chain = await aChain({ erc721: 2, erc1155: 3 }, afterAll)
})
beforeEach(() => chain.setFaults())

/** A network whose nodes, of these names, are all the node of the chain. */
const networkOf = (...names: string[]): Network => ({
  ...anEngine(chain).network,
  rpcUrls: names.map((name) => `${chain.proxyUrl}/${name}`),
})

const NOBODY = '0x1111111111111111111111111111111111111111'
const NO_CODE = '0x2222222222222222222222222222222222222222'
/** Where tests put code. */
const HOSTILE = '0x3333333333333333333333333333333333333333'
const ZERO = '0x0000000000000000000000000000000000000000'
/** Who deploys the contracts of tests, and owns those that have an owner. */
const DEPLOYER = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

const selectors = {
  balanceOfPieces: '0x00fdd58e',
  owner: '0x8da5cb5b',
  hasRole: '0x91d14854',
  name: '0x06fdde03',
  royaltyInfo: '0x2a55205a',
}

const wordOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** One node answers a question with this. */
const answersOf = (
  node: string,
  question: keyof typeof selectors,
  effect: Fault['effect'],
): Fault => ({ node, on: ['eth_call'], containing: selectors[question], effect })

const silence = { error: { code: -32603, message: 'internal error' }, reach: 'none' } as const

describe('whether a wallet has pieces', () => {
  it('is so for as many as it has', async () => {
    const network = networkOf('node')
    const has = (
      contract: Address,
      tokenId: string,
      pieces: bigint,
      wallet: string = chain.seller,
    ) => holdsPieces(network, { contract, tokenId, pieces, wallet, walletChainId: 0 })
    const { erc721, erc1155 } = chain.contracts
    expect(await has(erc1155, '1', 3n)).toBe(true)
    expect(await has(erc1155, '1', 4n)).toBe(false)
    expect(await has(erc1155, '2', 1n)).toBe(false)
    expect(await has(erc1155, '1', 1n, NOBODY)).toBe(false)
    expect(await has(erc721, '0', 1n)).toBe(true)
    expect(await has(erc721, '0', 2n)).toBe(false)
    expect(await has(erc721, '2', 1n)).toBe(false)
    expect(await has(erc721, '0', 1n, NOBODY)).toBe(false)
    expect(await has(erc721, '0', 1n, '')).toBe(false)
    expect(await has(NO_CODE, '0', 1n)).toBe(null)
  })

  it('is so for a contract on its chain only', async () => {
    const network = networkOf('node')
    const token = { contract: chain.contracts.erc721, tokenId: '0', pieces: 1n }
    const has = (walletChainId: number) =>
      holdsPieces(network, { ...token, wallet: chain.seller, walletChainId })
    expect(await has(chain.chainId)).toBe(true)
    expect(await has(chain.chainId + 1)).toBe(false)
  })

  it('is so only if all nodes say so, and open if one is silent', async () => {
    const network = networkOf('honest', 'liar')
    const ask = (wallet: string) =>
      holdsPieces(network, {
        ...{ contract: chain.contracts.erc1155, tokenId: '1', pieces: 3n },
        ...{ wallet, walletChainId: 0 },
      })
    expect(await ask(chain.seller)).toBe(true)
    await chain.setFaults(answersOf('liar', 'balanceOfPieces', { result: wordOf(5n) }))
    expect(await ask(NOBODY)).toBe(false)
    expect(logged('nodes_disagree')).toEqual([
      { chainId: chain.chainId, kind: 'is_for_all', answers: [false, true] },
    ])
    await chain.setFaults(answersOf('liar', 'balanceOfPieces', { result: wordOf(2n) }))
    expect(await ask(chain.seller)).toBe(false)
    // It tells only that the token is not ERC-721.
    await chain.setFaults(answersOf('liar', 'balanceOfPieces', silence))
    expect(await ask(chain.seller)).toBe(null)
    expect(await ask(NOBODY)).toBe(false)
  })
})

describe('whether a contract is of a wallet', () => {
  it('is so for its owner, until he gives it up', async () => {
    const network = networkOf('node')
    const contract = await chain.aPeculiarToken('CollectorToken')
    const owns = (wallet: string, walletChainId = 0) =>
      ownsContract(network, { contract, wallet, walletChainId })
    expect(await owns(DEPLOYER)).toBe(true)
    expect(await owns(DEPLOYER.toLowerCase())).toBe(true)
    expect(await owns(DEPLOYER, chain.chainId + 1)).toBe(false)
    expect(await owns(chain.seller)).toBe(false)
    expect(await owns('')).toBe(false)
    await chain.setFaults(answersOf('node', 'owner', { result: wordOf(0n) }))
    expect(await owns(DEPLOYER)).toBe(false)
    expect(await owns(ZERO)).toBe(false)
    expect(await owns('')).toBe(false)
  })

  it('is so for who decides who has its roles', async () => {
    const network = networkOf('node')
    const owns = (contract: Address, wallet: string) =>
      ownsContract(network, { contract, wallet, walletChainId: 0 })
    const { contracts, mintable, seller, delivery } = chain
    expect(await owns(mintable.erc721, seller)).toBe(true)
    // It may mint, and decides nothing.
    expect(await owns(mintable.erc721, delivery)).toBe(false)
    expect(await owns(contracts.erc1155, seller)).toBe(true)
    expect(await owns(contracts.erc1155, NOBODY)).toBe(false)
    expect(await owns(await chain.aPeculiarToken('SilentToken'), seller)).toBe(false)
    expect(await owns(NO_CODE, seller)).toBe(false)
  })

  it('is so only if all nodes say so, and open if one is silent', async () => {
    const network = networkOf('honest', 'liar')
    const owns = (wallet: string) =>
      ownsContract(network, { contract: chain.mintable.erc721, wallet, walletChainId: 0 })
    await chain.setFaults(answersOf('liar', 'hasRole', { result: wordOf(1n) }))
    expect(await owns(chain.seller)).toBe(true)
    expect(await owns(NOBODY)).toBe(false)
    await chain.setFaults(answersOf('liar', 'owner', { result: wordOf(BigInt(NOBODY)) }))
    expect(await owns(NOBODY)).toBe(false)
    await chain.setFaults(answersOf('liar', 'hasRole', { result: wordOf(0n) }))
    expect(await owns(chain.seller)).toBe(false)
    await chain.setFaults(answersOf('liar', 'hasRole', silence))
    expect(await owns(chain.seller)).toBe(null)
    expect(await owns(NOBODY)).toBe(false)
  })
})

describe('what a wallet holds', () => {
  const key = { walletChainId: 0, tokenIds: null }

  it('is what the contract lists, up to 20 tokens', async () => {
    const network = networkOf('node')
    const contract = await chain.aPeculiarToken('CollectorToken')
    const asSeller = tokenCalls(chain.rpcUrl, chain.seller, contract)
    await asSeller('mint', NOBODY)
    await asSeller('mint', chain.seller)
    const collection = { standard: 'erc721', name: 'Peculiar', isEnumerable: true }
    const read = (wallet: string) => readHoldings(network, { ...key, contract, wallet })
    const first = [
      { tokenId: '0', pieces: '1' },
      { tokenId: '2', pieces: '1' },
    ]
    expect(await read(chain.seller)).toEqual({ ...collection, tokens: first })
    expect(await read(chain.owner)).toEqual({ ...collection, tokens: [] })
    for (let i = 0; i < 19; i++) await asSeller('mint', chain.seller)
    const others = Array.from({ length: 18 }, (_, i) => ({ tokenId: `${i + 3}`, pieces: '1' }))
    expect(await read(chain.seller)).toEqual({ ...collection, tokens: [...first, ...others] })
  })

  it('is nothing if the contract lists no tokens', async () => {
    const network = networkOf('node')
    const read = (contract: Address) =>
      readHoldings(network, { ...key, contract, wallet: chain.seller })
    const nothing = { isEnumerable: false, tokens: [] }
    expect(await read(await chain.aPeculiarToken('SoulboundToken'))).toEqual({
      ...{ standard: 'erc721', name: 'Peculiar', ...nothing },
    })
    expect(await read(chain.contracts.erc1155)).toEqual({
      ...{ standard: 'erc1155', name: null, ...nothing },
    })
  })

  it('is of these tokens those that it has, with their pieces', async () => {
    const network = networkOf('node')
    const read = async (contract: Address, wallet: string, ...tokenIds: string[]) => {
      const holdings = await readHoldings(network, { contract, wallet, walletChainId: 0, tokenIds })
      return Object(holdings).tokens
    }
    const { erc721, erc1155 } = chain.contracts
    const LARGEST = `${2n ** 256n - 1n}`
    expect(await read(erc721, chain.seller, '1', '2', LARGEST)).toEqual([
      { tokenId: '1', pieces: '1' },
    ])
    expect(await read(erc721, NOBODY, '1')).toEqual([])
    expect(await read(erc1155, chain.seller, '0', '1', LARGEST)).toEqual([
      { tokenId: '1', pieces: '3' },
    ])
  })

  it('is the code of a reason if nothing can be listed', async () => {
    const network = networkOf('node')
    const asked = { ...key, contract: NO_CODE, wallet: chain.seller }
    expect(await readHoldings(network, asked)).toBe('token_not_deployed')
    const contract = await chain.aPeculiarToken('SilentToken')
    expect(await readHoldings(network, { ...asked, contract })).toBe('token_not_supported')
    expect(await readHoldings(network, { ...asked, wallet: '' })).toBe('seller_has_no_wallet')
    expect(await readHoldings(network, { ...asked, walletChainId: 1 })).toBe(
      'seller_on_other_chain',
    )
  })

  it('is what the first node tells that answers all', async () => {
    const network = networkOf('first', 'second')
    const contract = chain.contracts.erc721
    const read = () => readHoldings(network, { ...key, contract, wallet: chain.seller })
    const holdings = {
      ...{ standard: 'erc721', name: 'Collectible', isEnumerable: true },
      tokens: ['0', '1'].map((tokenId) => ({ tokenId, pieces: '1' })),
    }
    expect(await read()).toEqual(holdings)
    await chain.setFaults(answersOf('second', 'name', { result: '0x' }))
    expect(await read()).toEqual(holdings)
    await chain.setFaults(answersOf('first', 'name', silence))
    expect(await read()).toEqual(holdings)
    await chain.setFaults({ effect: silence })
    expect(await read()).toBe(null)
  })
})

describe('the name of a contract', () => {
  it('is one line without what is not seen, and has at most 255 characters', async () => {
    const network = networkOf('node')
    const nameOf = async (contract: Address) => {
      const asked = { contract, wallet: chain.seller, walletChainId: 0, tokenIds: null }
      return Object(await readHoldings(network, asked)).name
    }
    expect(await nameOf(await chain.aPeculiarToken('LongNameToken'))).toBe('N'.repeat(255))
    for (const [written, name] of [
      ['Two\nlines', 'Two lines'],
      ['\u202Etxet a \u200Bhidden', 'txet a hidden'],
      ['A\u0000B\u0007', 'A B'],
      ['\u200B \t', null],
      ['', null],
    ]) {
      const result = encodeAbiParameters([{ type: 'string' }], [written ?? ''])
      await chain.setFaults(answersOf('node', 'name', { result }))
      expect(await nameOf(chain.contracts.erc721)).toBe(name)
    }
  })
})

describe('the royalty of a token', () => {
  it('is per cent of the price, for a wallet', async () => {
    const network = networkOf('node')
    const contract = await chain.aPeculiarToken('CollectorToken')
    const read = () => readRoyalty(network, { contract, tokenId: '0' })
    expect(await read()).toEqual({ fee: '2.5', feeRecipient: DEPLOYER })
    for (const [amount, fee] of [
      [1n, '0.01'],
      [57n, '0.57'],
      [500n, '5'],
      [10_000n, '100'],
    ] as const) {
      const result = `${wordOf(BigInt(NOBODY))}${wordOf(amount).slice(2)}`
      await chain.setFaults(answersOf('node', 'royaltyInfo', { result }))
      expect(await read()).toEqual({ fee, feeRecipient: NOBODY })
    }
    for (const [recipient, amount] of [
      [BigInt(NOBODY), 0n],
      [BigInt(NOBODY), 10_001n],
      [0n, 250n],
      [2n ** 160n, 250n],
    ] as const) {
      const result = `${wordOf(recipient)}${wordOf(amount).slice(2)}`
      await chain.setFaults(answersOf('node', 'royaltyInfo', { result }))
      expect(await read()).toBe(null)
    }
  })

  it('is none of a token without one', async () => {
    const network = networkOf('node')
    expect(await readRoyalty(network, { contract: chain.contracts.erc721, tokenId: '0' })).toBe(
      null,
    )
    expect(await readRoyalty(network, { contract: NO_CODE, tokenId: '0' })).toBe(null)
  })

  it('is what all nodes say that answer', async () => {
    const network = networkOf('honest', 'liar')
    const contract = await chain.aPeculiarToken('CollectorToken')
    const read = () => readRoyalty(network, { contract, tokenId: '0' })
    const royalty = { fee: '2.5', feeRecipient: DEPLOYER }
    expect(await read()).toEqual(royalty)
    await chain.setFaults(answersOf('liar', 'royaltyInfo', silence))
    expect(await read()).toEqual(royalty)
    const other = `${wordOf(BigInt(NOBODY))}${wordOf(250n).slice(2)}`
    for (const result of [other, '0x']) {
      await chain.setFaults(answersOf('liar', 'royaltyInfo', { result }))
      expect(await read()).toBe(null)
    }
    await chain.setFaults({ effect: silence })
    expect(await read()).toBe(null)
  })
})

describe('a contract', () => {
  const asked = { contract: HOSTILE, wallet: NOBODY, walletChainId: 0 }

  async function aNetworkWith(code: string) {
    await chain.rpc('anvil_setCode', HOSTILE, code)
    return networkOf('node')
  }

  it.each([
    ['reverts', '0x60006000fd', false],
    ['burns all gas', '0x5b600056', null],
    ['returns one byte', '0x60016000f3', null],
    ['returns the largest number twice', '0x60001960005260001960205260406000f3', null],
    ['returns 200,000 bytes of zeros', '0x62030d406000f3', null],
  ])('that %s holds, owns and lists nothing', async (_, code, isHeld) => {
    const network = await aNetworkWith(code)
    expect(await holdsPieces(network, { ...asked, tokenId: '7', pieces: 1n })).toBe(isHeld)
    expect(await ownsContract(network, asked)).toBe(false)
    expect(await readRoyalty(network, { contract: HOSTILE, tokenId: '7' })).toBe(null)
    for (const tokenIds of [null, ['7']])
      expect(await readHoldings(network, { ...asked, tokenIds })).toBe('token_not_supported')
  })

  it('that returns 1 for each call is a token without a name, and lists one token', async () => {
    const network = await aNetworkWith('0x600160005260206000f3')
    const token = { standard: 'erc721', name: null, isEnumerable: true }
    expect(await readHoldings(network, { ...asked, tokenIds: null })).toEqual({
      ...token,
      tokens: [{ tokenId: '1', pieces: '1' }],
    })
    expect(await readHoldings(network, { ...asked, tokenIds: ['7'] })).toEqual({
      ...token,
      tokens: [],
    })
    expect(await readRoyalty(network, { contract: HOSTILE, tokenId: '7' })).toBe(null)
  })
})
