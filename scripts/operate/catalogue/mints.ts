/** What operators have to do before the tokens of a catalogue can be minted on delivery. */
import { type Address, getAddress } from 'viem'
import { linesIn } from '../../shell/files.ts'
import { describeGrant, MINT_FUNCTIONS } from '../contract/grants.ts'

/**
 * Returns what to grant for the NFTs of the file that are minted on delivery, as lines to print.
 * Every line of the file must be a record or blank.
 */
export async function describeGrants(file: string, environment?: string): Promise<string[]> {
  const tokens = await findMintedTokens(file)
  if (tokens.length === 0) return []
  const grants = tokens.flatMap(({ network, contract }) =>
    describeGrant(network, environment, contract),
  )
  return [
    `NFTs of this file are minted on delivery. ${MINT_FUNCTIONS} Before the first order:`,
    ...grants,
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
