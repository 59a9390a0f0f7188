/** What operators have to do before a token can be minted on delivery. */

/** The functions that the Delivery contract calls. */
export const MINT_FUNCTIONS =
  'Only `mint(address to, uint256 id, uint256 amount, bytes data)` of ERC-1155 and `safeMint(address to, uint256 tokenId)` of ERC-721 are supported.'

/** Returns what lets the Delivery contract of a network mint a token, as lines. */
export function describeGrant(network: string, environment: string | undefined, token: string) {
  const command = (action: string) =>
    `npm run contract -- ${action} --network ${network}${environment ? ` --env ${environment}` : ''}`
  return [
    `Let the Delivery contract of ${network} mint ${token}: grant it MINTER_ROLE, or transfer the ownership of the token to it. Then set the limit of the token, and look what is missing:`,
    `  ${command('set-token-limit')} --token ${token} --capacity PIECES --per-day PIECES`,
    `  ${command('status')}${environment ? ' --remote' : ''}`,
  ]
}
