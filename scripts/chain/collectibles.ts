/**
 * Token contracts for a local chain: OpenZeppelin's presets, deployed from the artifacts that
 * its package publishes, so nothing is compiled here.
 */
import erc721 from '@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json' with {
  type: 'json',
}
import erc1155 from '@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json' with {
  type: 'json',
}
import {
  type Abi,
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  getAddress,
  type Hash,
  http,
  isHex,
  parseAbi,
  type TransactionReceipt,
} from 'viem'
import { foundry } from 'viem/chains'

/** The chain id that local nodes give themselves. */
export const LOCAL_CHAIN_ID = foundry.id

export const erc721Abi = parseAbi([
  'constructor(string name, string symbol, string baseTokenURI)',
  'function mint(address to)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function setApprovalForAll(address operator, bool approved)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
])

export const erc1155Abi = parseAbi([
  'constructor(string uri)',
  'function mintBatch(address to, uint256[] ids, uint256[] amounts, bytes data)',
  'function balanceOf(address account, uint256 id) view returns (uint256)',
  'function setApprovalForAll(address operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
])

const SENT_AT_ONCE = 100
/** Enough to mint one token: estimating it anew for each would take most of the time. */
const REPEATED_GAS = 200_000n

type Plan = {
  /** Deploys, holds every token, and approves the operator. A funded account. */
  seller: Account
  /** Who may move the seller's tokens: the address of the transfer signer. */
  operator: Address
  /** How many ERC-721 tokens to mint; their ids count from 0. */
  uniques: number
  /** The ERC-1155 tokens to mint. */
  editions: readonly { id: bigint; amount: bigint }[]
}

export type Collectibles = { erc721: Address; erc1155: Address }

/** Deploys both contracts, mints to the seller and approves the operator. */
export async function deployCollectibles(rpcUrl: string, plan: Plan): Promise<Collectibles> {
  const { seller, operator, uniques, editions } = plan
  const chain = await connectAs(rpcUrl, seller)
  const first = await chain.deploy(erc721Abi, erc721.bytecode, [
    'Collectible',
    'NFT',
    'ipfs://collectible/',
  ])
  const second = await chain.deploy(erc1155Abi, erc1155.bytecode, ['ipfs://edition/{id}'])
  await chain.writeAll(uniques, first, erc721Abi, 'mint', [seller.address])
  const [ids, amounts] = [editions.map(({ id }) => id), editions.map(({ amount }) => amount)]
  await chain.write(second, erc1155Abi, 'mintBatch', [seller.address, ids, amounts, '0x'])
  for (const contract of [first, second])
    await chain.write(contract, erc721Abi, 'setApprovalForAll', [operator, true])
  return { erc721: first, erc1155: second }
}

/** Whether the chain has code at each of the addresses. */
export async function hasContracts(rpcUrl: string, addresses: readonly Address[]) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const codes = await Promise.all(addresses.map((address) => client.getCode({ address })))
  return codes.every((code) => code !== undefined)
}

/** The chain as one account uses it: each step waits until it is mined, and throws if it failed. */
async function connectAs(rpcUrl: string, account: Account) {
  const transport = http(rpcUrl)
  const id = await createPublicClient({ transport }).getChainId()
  const chain = { ...foundry, id }
  const reader = createPublicClient({ transport, chain, pollingInterval: 50 })
  const writer = createWalletClient({ transport, chain, account })

  async function mined(hash: Hash): Promise<TransactionReceipt> {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} failed`)
    return receipt
  }

  return {
    async deploy(abi: Abi, bytecode: string, args: unknown[]): Promise<Address> {
      if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
      const { contractAddress } = await mined(await writer.deployContract({ abi, bytecode, args }))
      if (!contractAddress) throw new Error('the contract has no address')
      return getAddress(contractAddress)
    },
    async write(address: Address, abi: Abi, functionName: string, args: unknown[]) {
      await mined(await writer.writeContract({ address, abi, functionName, args }))
    },
    /** The same call again and again, without waiting for one before the next is sent. */
    async writeAll(
      count: number,
      address: Address,
      abi: Abi,
      functionName: string,
      args: unknown[],
    ) {
      const first = await reader.getTransactionCount({ address: account.address })
      const call = { address, abi, functionName, args, gas: REPEATED_GAS }
      for (let i = 0; i < count; i += SENT_AT_ONCE) {
        const sent = Array.from({ length: Math.min(SENT_AT_ONCE, count - i) }, (_, n) =>
          writer.writeContract({ ...call, nonce: first + i + n }),
        )
        await Promise.all((await Promise.all(sent)).map(mined))
      }
    },
  }
}
