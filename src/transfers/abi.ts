/** What we call on a token's contract, and how it says no: as data, since a parser weighs 13 KB. */

const account = { name: 'account', type: 'address' } as const
const operator = { name: 'operator', type: 'address' } as const
const from = { name: 'from', type: 'address' } as const
const to = { name: 'to', type: 'address' } as const
const id = { name: 'id', type: 'uint256' } as const
const amount = { name: 'amount', type: 'uint256' } as const
const data = { name: 'data', type: 'bytes' } as const
const interfaceId = { name: 'interfaceId', type: 'bytes4' } as const

const view = { type: 'function', stateMutability: 'view' } as const
const bool = { outputs: [{ name: '', type: 'bool' }] } as const
const address = { outputs: [{ name: '', type: 'address' }] } as const
const uint256 = { outputs: [{ name: '', type: 'uint256' }] } as const

/** Of EIP-165, EIP-721 and EIP-1155. */
export const views = [
  { ...view, name: 'supportsInterface', inputs: [interfaceId], ...bool },
  { ...view, name: 'ownerOf', inputs: [id], ...address },
  { ...view, name: 'balanceOf', inputs: [account, id], ...uint256 },
  { ...view, name: 'isApprovedForAll', inputs: [account, operator], ...bool },
] as const

const safeTransferFrom = {
  type: 'function',
  stateMutability: 'nonpayable',
  name: 'safeTransferFrom',
  outputs: [],
} as const

/** EIP-721 and EIP-1155: the transfers that ask the recipient whether it can hold the token. */
export const erc721Transfer = [{ ...safeTransferFrom, inputs: [from, to, id] }] as const
export const erc1155Transfer = [
  { ...safeTransferFrom, inputs: [from, to, id, amount, data] },
] as const

const error = (name: string, inputs: Record<string, 'address' | 'uint256' | 'string'>) => ({
  type: 'error' as const,
  name,
  inputs: Object.entries(inputs).map(([name, type]) => ({ name, type })),
})

/** Those of Solidity, and those of ERC-6093, which OpenZeppelin 5 uses. */
export const standardErrors = [
  error('Error', { reason: 'string' }),
  error('Panic', { code: 'uint256' }),
  error('ERC721InvalidOwner', { owner: 'address' }),
  error('ERC721NonexistentToken', { tokenId: 'uint256' }),
  error('ERC721IncorrectOwner', { sender: 'address', tokenId: 'uint256', owner: 'address' }),
  error('ERC721InvalidSender', { sender: 'address' }),
  error('ERC721InvalidReceiver', { receiver: 'address' }),
  error('ERC721InsufficientApproval', { operator: 'address', tokenId: 'uint256' }),
  error('ERC721InvalidApprover', { approver: 'address' }),
  error('ERC721InvalidOperator', { operator: 'address' }),
  error('ERC1155InsufficientBalance', {
    sender: 'address',
    balance: 'uint256',
    needed: 'uint256',
    tokenId: 'uint256',
  }),
  error('ERC1155InvalidSender', { sender: 'address' }),
  error('ERC1155InvalidReceiver', { receiver: 'address' }),
  error('ERC1155MissingApprovalForAll', { operator: 'address', owner: 'address' }),
  error('ERC1155InvalidApprover', { approver: 'address' }),
  error('ERC1155InvalidOperator', { operator: 'address' }),
  error('ERC1155InvalidArrayLength', { idsLength: 'uint256', valuesLength: 'uint256' }),
]
