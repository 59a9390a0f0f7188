/** What operators have to do before tokens can be minted on delivery. */
import { type Address, getAddress } from 'viem'
import { linesIn } from '../../shell/files.ts'

/** Returns what lets the Delivery contract of a network mint a token, as lines. */
function describeGrant(network: string, environment: string | undefined, token: string) {
  const command = (action: string) =>
    `npm run contract -- ${action} --network ${network}${environment ? ` --env ${environment}` : ''}`
  return [
    `Let the Delivery contract of ${network} mint ${token}: grant it MINTER_ROLE, or transfer the ownership of the token to it. Then set the limit of the token, and look what is missing:`,
    `  ${command('set-token-limit')} --token ${token} --capacity PIECES --per-day PIECES`,
    `  ${command('status')}${environment ? ' --remote' : ''}`,
  ]
}

/**
 * Returns what to grant for the NFTs of the file that are minted on delivery, as lines to print.
 * Every line of the file must be a record or blank.
 */
export async function describeGrants(file: string, environment?: string): Promise<string[]> {
  const tokens = await findMintedTokens(file)
  if (tokens.length === 0) return []
  return [
    'NFTs of this file are minted on delivery. Only `mint(address to, uint256 id, uint256 amount, bytes data)` of ERC-1155 and `safeMint(address to, uint256 tokenId)` of ERC-721 are supported. Before the first order:',
    ...tokens.flatMap(({ network, contract }) => describeGrant(network, environment, contract)),
  ]
}

/** Returns the token contracts whose tokens are minted, each once. */
async function findMintedTokens(file: string) {
  const tokens = new Map<string, { network: string; contract: Address }>()
  for await (const line of linesIn(file)) {
    const { fulfilment, network, contract } = JSON.parse(line.trim() || '{}')
    if (fulfilment !== 'mint') continue
    const token = { network, contract: getAddress(contract) }
    tokens.set(JSON.stringify(token), token)
  }
  return [...tokens.values()]
}
