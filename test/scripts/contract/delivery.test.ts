import { zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localAccount } from '../../../scripts/local/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../../scripts/local/chain/anvil.ts'
import { LOCAL_CHAIN_ID } from '../../../scripts/local/chain/chain-id.ts'
import { deployCollectibles } from '../../../scripts/local/chain/collectibles.ts'
import { deployDelivery } from '../../../scripts/local/chain/delivery.ts'
import { openContract } from '../../../scripts/operate/contract/delivery.ts'
import { type Network, parseNetwork } from '../../../scripts/operate/contract/networks.ts'
import { connect, createNode } from '../../../scripts/operate/contract/node.ts'

const owner = localAccount(5)
const relayer = localAccount(0)
const stranger = localAccount(1)

let anvil: Anvil
let network: Network

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  const delivery = await deployDelivery(anvil.url, owner, [relayer.address])
  network = { name: 'local', chainId: LOCAL_CHAIN_ID, rpcUrls: [anvil.url], delivery }
})

afterAll(() => anvil.stop())

it('has the address in wrangler.toml as the first transaction of its owner on a new chain', () => {
  expect(network.delivery).toBe('0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
})

describe('connect', () => {
  it('uses the next node if one does not respond', async () => {
    const node = await connect({ ...network, rpcUrls: ['http://127.0.0.1:1', anvil.url] })
    expect(await node.getChainId()).toBe(LOCAL_CHAIN_ID)
  })
})

describe('openContract', () => {
  const open = (delivery: Network['delivery']) =>
    openContract(createNode(network.rpcUrls), { ...network, delivery })

  it('refuses a network without a contract', async () => {
    await expect(open(undefined)).rejects.toThrow('The network local has no Delivery contract.')
  })

  it('refuses an address without code', async () => {
    const { address } = stranger
    await expect(open(address)).rejects.toThrow(`There is no contract at ${address} on local.`)
  })

  it('refuses another contract', async () => {
    const tokens = { seller: stranger, operator: zeroAddress, uniques: 0, editions: [] }
    const { erc721 } = await deployCollectibles(anvil.url, tokens)
    await expect(open(erc721)).rejects.toThrow(
      `The contract at ${erc721} on local is not a Delivery contract.`,
    )
  })
})

it('says which settings of a network are invalid, without their values', () => {
  const settings = { chainId: 0, rpcUrls: ['secret'], delivery: '<address>', treasury: '0x12' }
  expect(() => parseNetwork('local', { ...settings, maxFeePerGasGwei: 0 })).toThrow(
    /^The settings of the network local are invalid: chainId: must be at least 1; rpcUrls\.0: must be a URL; treasury: must be an address; maxFeePerGasGwei: must be more than 0$/,
  )
})
