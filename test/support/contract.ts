/** `npm run contract` in a folder of its own, with a chain of its own and its Delivery contract. */
import { readFile, writeFile } from 'node:fs/promises'
import {
  type Address,
  getAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toHex,
  zeroAddress,
} from 'viem'
import type { CompiledContract } from '../../contracts/solidity.ts'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { startAnvil } from '../../scripts/local/chain/anvil.ts'
import {
  type Contract,
  contractAt,
  type Deployment,
  deploy,
  sendAs,
} from '../../scripts/operate/contract/delivery.ts'
import { confirm, createNode, deployCode, type Node } from '../../scripts/operate/contract/node.ts'
import { command } from '../../scripts/operate/contract.ts'
import { call } from './call.ts'
import { aFolder } from './command.ts'

export const owner = localAccount(0)
export const relayer = localAccount(1)
export const guardian = localAccount(2)
export const stranger = localAccount(3)

const LOCAL_NETWORK = /\[vars\.NETWORKS\.localhost\]\n([^\n]+\n)+/

/** A time that no test reaches, in seconds since 1970. */
const FAR_FUTURE = 10_000_000_000n

const GAS_PER_ITEM = 300_000n

export type Commands = Awaited<ReturnType<typeof contractCommands>>

export async function contractCommands() {
  const anvil = await startAnvil({ port: 0 })
  const folder = await aFolder()
  const toml = await readFile('wrangler.toml', 'utf8')
  const node = createNode([anvil.url])
  // The time of the chain stands still until `wait`: limits refill with each second.
  await request(node, 'anvil_setBlockTimestampInterval', 0)
  return {
    node,
    rpcUrl: anvil.url,
    toml,
    close: async () => {
      await anvil.stop()
      await folder.remove()
    },
    /** Deploys a contract of the owner with the relayer, which may move 1,000 pieces. */
    deploy: (deployment: Partial<Deployment> = {}): Promise<Contract> =>
      deploy(node, owner, {
        relayers: [{ relayer: relayer.address, capacity: 1000n, perDay: 3000n }],
        ...deployment,
      }),
    /** Sets the address of the local network in wrangler.toml. */
    configure: (delivery: string, rpcUrl = anvil.url) =>
      writeFile(
        'wrangler.toml',
        toml.replace(
          LOCAL_NETWORK,
          `[vars.NETWORKS.localhost]\nchainId = 31337\nrpcUrls = ["${rpcUrl}"]\ndelivery = "${delivery}"\n`,
        ),
      ),
    /** Runs an action for the local network with the key of the account, or without one. */
    run: (action: string, args: string[] = [], account: typeof owner | null = owner) =>
      call(command, [action, '--network', 'localhost', ...args], {
        DELIVERY_OWNER_KEY: account ? toPrivateKey(account) : '',
      }),
    /** Sets the time of the next block, in seconds after now, and mines it. */
    wait: async (seconds: number) => {
      const { timestamp } = await node.getBlock()
      await request(node, 'evm_setNextBlockTimestamp', Number(timestamp) + seconds)
      await request(node, 'evm_mine')
    },
    mine: (blocks: number) => request(node, 'anvil_mine', blocks),
    /** Delivers as the relayer, and returns the receipt. */
    deliver: (delivery: Address, items: Item[]) =>
      confirm(
        node,
        contractAt(node, delivery).write.deliver(
          [items, BigInt(items.length), GAS_PER_ITEM, FAR_FUTURE],
          sendAs(relayer),
        ),
      ),
    /** Sends data as an account of which nobody has the key, as a multi-signature wallet does. */
    sendFrom: async (from: Address, to: Address, data: Hex) => {
      await request(node, 'anvil_setBalance', from, '0xde0b6b3a7640000')
      await request(node, 'anvil_impersonateAccount', from)
      await confirm(node, request(node, 'eth_sendTransaction', { from, to, data }) as Promise<Hex>)
    },
  }
}

const request = (node: Node, method: string, ...params: unknown[]): Promise<unknown> =>
  node.transport.request({ method, params })

/** Deploys a compiled token contract that belongs to the owner, and returns its address. */
export async function deployToken(node: Node, token: CompiledContract | undefined) {
  if (!token) throw new Error('there is no such contract')
  return deployCode(node, owner, { ...token, args: [] })
}

/** An item of a call of `deliver`. */
export type Item = {
  key: Hex
  token: Address
  from: Address
  to: Address
  tokenId: bigint
  amount: bigint
}

let count = 0

export const aKey = (): Hex => keccak256(toHex(`key ${++count}`))

/** An address without code that nobody else uses. */
export const aWallet = (): Address =>
  getAddress(pad(toHex(2n ** 152n + BigInt(++count)), { size: 20 }))

/** An item that uses a key up. */
export const aCancel = (key: Hex): Item => ({
  key,
  token: zeroAddress,
  from: zeroAddress,
  to: zeroAddress,
  tokenId: 0n,
  amount: 0n,
})

/** What tests call of these contracts. */
export const ownedAbi = parseAbi([
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
  'function grantRole(bytes32 role, address account)',
])
