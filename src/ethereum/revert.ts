/** Why a call would revert, in words. */
import { type Abi, decodeErrorResult, type Hex, toFunctionSelector } from 'viem'
import { relayerAbi } from '../../contracts/relayer-abi.ts'

/** Errors of ERC-6093, of other contracts of OpenZeppelin 5, of ERC721A, solady and ERC-721C. */
const tokenErrors = `
  ERC721InvalidOwner(address owner) ERC721NonexistentToken(uint256 tokenId)
  ERC721IncorrectOwner(address sender,uint256 tokenId,address owner)
  ERC721InvalidSender(address sender) ERC721InvalidReceiver(address receiver)
  ERC721InsufficientApproval(address operator,uint256 tokenId)
  ERC721InvalidApprover(address approver) ERC721InvalidOperator(address operator)
  ERC1155InsufficientBalance(address sender,uint256 balance,uint256 needed,uint256 tokenId)
  ERC1155InvalidSender(address sender) ERC1155InvalidReceiver(address receiver)
  ERC1155MissingApprovalForAll(address operator,address owner)
  ERC1155InvalidApprover(address approver) ERC1155InvalidOperator(address operator)
  ERC1155InvalidArrayLength(uint256 idsLength,uint256 valuesLength)
  EnforcedPause() ExpectedPause() ReentrancyGuardReentrantCall() InvalidInitialization()
  AccessControlUnauthorizedAccount(address account,bytes32 neededRole)
  OwnableUnauthorizedAccount(address account) OwnableInvalidOwner(address owner)
  ERC721OutOfBoundsIndex(address owner,uint256 index) ERC721EnumerableForbiddenBatchMint()
  ERC721ForbiddenBatchMint() ERC721ExceededMaxBatchMint(uint256 batchSize,uint256 maxBatch)
  NotInitializing() FailedCall() FailedInnerCall() AddressEmptyCode(address target)
  ApprovalCallerNotOwnerNorApproved() ApprovalQueryForNonexistentToken() MintToZeroAddress()
  BalanceQueryForZeroAddress() MintZeroQuantity() OwnerQueryForNonexistentToken()
  SequentialMintExceedsLimit() TransferCallerNotOwnerNorApproved() TransferFromIncorrectOwner()
  TransferToNonERC721ReceiverImplementer() TransferToNonERC1155ReceiverImplementer()
  TransferToZeroAddress() NotOwnerNorApproved() TokenAlreadyExists() TokenDoesNotExist()
  AccountBalanceOverflow() InsufficientBalance() Unauthorized()
  CreatorTokenTransferValidator__CallerMustBeWhitelisted()
  CreatorTokenTransferValidator__CallerMustBeWhitelistedOperator()
  CreatorTokenTransferValidator__OperatorIsBlacklisted()`

const abi: Extract<Abi[number], { type: 'error' }>[] = [
  ...relayerAbi.filter((item) => item.type === 'error'),
  ...[...tokenErrors.matchAll(/(\w+)\((.*?)\)/g)].map(([, name = '', inputs]) => ({
    type: 'error' as const,
    name,
    inputs: (inputs ? inputs.split(',') : []).map((input) => {
      const [type = '', name = ''] = input.split(' ')
      return { type, name }
    }),
  })),
]

/** How nodes say that the call itself failed: geth and anvil use code 3, others only words. */
const isExecution =
  /revert|invalid ?(fe)? ?opcode|out ?of ?gas|stack (under|over)flow|gas required exceeds/i

/** Whether the node ran the call and it failed, rather than the node having failed. */
export const isRevert = ({ code, message }: { code: number; message: string }): boolean =>
  code === 3 || isExecution.test(message)

/** Whether a contract refused a call itself, rather than its gas having been too little. */
export const isRefusal = (reply: object): boolean => {
  const { error } = Object(reply)
  return Boolean(error) && isRevert(error) && !/out ?of ?gas|gas required/i.test(error.message)
}

/** Returns why a call reverted, in words and without addresses. */
export const revertReason = (data: Hex): string =>
  withoutAddresses(decoded(data)).slice(0, 200).toWellFormed()

/** Returns why a call reverted, in words; null if it did not, or if the node has failed. */
export function readRevert(reply: object): string | null {
  const { error } = Object(reply)
  if (!error || !isRevert(error)) return null
  return revertReason(/^0x([0-9a-f]{2})*$/i.test(error.data) ? error.data : '0x')
}

/** The reasons that the Delivery contract itself gives for an item. */
const contractReasons = {
  TokenHasNoCode: 'token_not_deployed',
  RelayerLimitReached: 'relayer_limit_reached',
  TokenLimitReached: 'token_limit_reached',
  TokenLimitMissing: 'token_limit_missing',
} as const

/**
 * Returns why the Delivery contract has not called the token, as a code; null if it has. Then a
 * token may revert with the same.
 */
export function readContractReason(gasUsed: number, reason: Hex) {
  if (gasUsed > 0) return null
  const isReason = ([name]: [string, string]) => reason === toFunctionSelector(`${name}()`)
  return Object.entries(contractReasons).find(isReason)?.[1] ?? null
}

/** Wallets are personal data; reasons are logged. */
export const withoutAddresses = (text: string): string =>
  text.replace(/0x[0-9a-f]{40,}/gi, (hex) => `${hex.slice(0, 6)}…`)

/** Returns what the log may show of a node's message: the URL of a node may hold a key. */
export const loggedMessage = (message: string): string =>
  withoutAddresses(message.replace(/https?:\S+/gi, '…')).slice(0, 200)

/** `data` may be cut off. */
function decoded(data: Hex): string {
  if (data === '0x') return 'no reason given'
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi, data })
    const values: readonly unknown[] = args ?? []
    if (errorName === 'Error') return String(values[0])
    if (errorName === 'Panic') return `Panic (code: ${values[0]})`
    const named = abiItem.inputs.flatMap((input, i) =>
      input.type === 'address' ? [] : [`${input.name}: ${values[i]}`],
    )
    return named.length > 0 ? `${errorName} (${named.join(', ')})` : errorName
  } catch {
    return `error ${data.slice(0, 10)}`
  }
}
