/**
 * Token contracts for a local chain: OpenZeppelin's presets, deployed from the compiled artifacts
 * in its npm package.
 */
import erc721 from '@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json' with {
  type: 'json',
}
import erc1155 from '@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json' with {
  type: 'json',
}
import { type Abi, type Account, type Address, keccak256, parseAbi, stringToBytes } from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import { contractAt } from '../../operate/contract/delivery.ts'
import { confirm, createNode, deployCode } from '../../operate/contract/node.ts'

const erc721Abi = parseAbi([
  'constructor(string name, string symbol, string baseTokenURI)',
  'function mint(address to)',
  'function setApprovalForAll(address operator, bool approved)',
])

export const erc1155Abi = parseAbi([
  'constructor(string uri)',
  'function mintBatch(address to, uint256[] ids, uint256[] amounts, bytes data)',
  'function balanceOf(address account, uint256 id) view returns (uint256)',
  'function setApprovalForAll(address operator, bool approved)',
  'function grantRole(bytes32 role, address account)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
])

/** Who has this role in the preset may call `mint`. */
export const MINTER_ROLE = keccak256(stringToBytes('MINTER_ROLE'))

/** Pieces that the Delivery contract may mint at once, and in a day. */
export const MINT_LIMIT = 1_000_000n

type DeployOptions = {
  /** A funded account. It deploys the contracts and receives every token. */
  seller: Account
  /** The address that may transfer the seller's tokens and mint editions: the Delivery contract. */
  operator: Address
  /** Number of ERC-721 tokens to mint. Their ids start at 0. */
  uniques: number
  /** The ERC-1155 tokens to mint. */
  editions: readonly { id: bigint; amount: bigint }[]
}

export type Collectibles = { erc721: Address; erc1155: Address }

/** Deploys both contracts, mints the tokens to the seller and authorizes the operator. */
export async function deployCollectibles(
  rpcUrl: string,
  { seller, operator, uniques, editions }: DeployOptions,
): Promise<Collectibles> {
  const chain = connectAs(rpcUrl, seller)
  const unique = await chain.deploy(erc721Abi, erc721.bytecode, [
    'Collectible',
    'NFT',
    'ipfs://collectible/',
  ])
  const edition = await chain.deploy(erc1155Abi, erc1155.bytecode, ['ipfs://edition/{id}'])
  for (let id = 0; id < uniques; id++)
    await chain.write(unique, erc721Abi, 'mint', [seller.address])
  const [ids, amounts] = [editions.map(({ id }) => id), editions.map(({ amount }) => amount)]
  await chain.write(edition, erc1155Abi, 'mintBatch', [seller.address, ids, amounts, '0x'])
  const contracts = { erc721: unique, erc1155: edition }
  await authorizeOperator(rpcUrl, { seller, operator }, contracts)
  return contracts
}

/**
 * Allows the operator to transfer all tokens that the seller has in both contracts, and to mint
 * editions.
 */
export async function authorizeOperator(
  rpcUrl: string,
  { seller, operator }: Pick<DeployOptions, 'seller' | 'operator'>,
  contracts: Collectibles,
): Promise<void> {
  const chain = connectAs(rpcUrl, seller)
  for (const contract of Object.values(contracts))
    await chain.write(contract, erc721Abi, 'setApprovalForAll', [operator, true])
  await chain.write(contracts.erc1155, erc1155Abi, 'grantRole', [MINTER_ROLE, operator])
}

/** Sets how much the Delivery contract may mint of a token, unless somebody has. It mints nothing before. */
export async function limitMints(
  rpcUrl: string,
  { owner, delivery, token }: { owner: Account; delivery: Address; token: Address },
): Promise<void> {
  const { isSet } = await contractAt(createNode([rpcUrl]), delivery).read.tokenLimit([token])
  if (isSet) return
  const chain = connectAs(rpcUrl, owner)
  await chain.write(delivery, deliveryAbi, 'setTokenLimit', [token, MINT_LIMIT, MINT_LIMIT])
}

/** Returns whether there is code at every address. */
export async function hasContracts(rpcUrl: string, addresses: readonly Address[]) {
  const node = createNode([rpcUrl])
  const codes = await Promise.all(addresses.map((address) => node.getCode({ address })))
  return codes.every((code) => code !== undefined)
}

/** Functions that send transactions from one account, wait for them, and throw if one reverts. */
export function connectAs(rpcUrl: string, account: Account) {
  const node = createNode([rpcUrl])
  const from = { account, chain: null }
  return {
    deploy: (abi: Abi, bytecode: string, args: unknown[]): Promise<Address> =>
      deployCode(node, account, { abi, bytecode, args }),
    write: (address: Address, abi: Abi, functionName: string, args: unknown[]) =>
      confirm(node, node.writeContract({ address, abi, functionName, args, ...from })),
  }
}
