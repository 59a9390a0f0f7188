/** Draws what is sold in a campaign, and to whom: mostly what can be delivered, some that cannot. */
import { type Address, getAddress } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import type { Answer } from '../../chain/fixtures.ts'
import type { ExpectedItem } from '../oracle.ts'
import type { Dice } from './dice.ts'

/** Why an item cannot be delivered; null if it can. */
type Obstacle =
  | 'hostile recipient'
  | 'no such token'
  | 'token without code'
  | 'token without effect'
  | 'unknown network'
  | 'no wallet'
  | 'token that burns gas'
  | 'mint without role'
  | 'mint without limit'
  | null

/** A recipient with code has an answer; the others are plain accounts. */
export type Draft = Omit<ExpectedItem, 'id' | 'recipient'> & {
  network: string
  obstacle: Obstacle
  answer: Answer | null
  /** Whether the recipient burns gas at times. */
  isFickle: boolean
  /** Whether the buyer links the wallet only later. */
  isLate: boolean
  /** How many orders before this one is the first of the same NFT. 0: this is the first. */
  sharedWith: number
  /** Whether the NFT may be sold as often as anybody likes. */
  isUnlimited: boolean
}

const NO_CODE = getAddress('0x00000000000000000000000000000000000c0de0')

const hostileAnswers: readonly [Answer, ...Answer[]] = [
  'refuses',
  'burns all gas',
  'reverts with 100 KB',
  'returns 100 KB',
  'burns gas unless the gas price is 0',
]

/** Ids of editions that nobody has before they are minted. */
const FIRST_MINTED = 1000

/** Token contracts with which something is wrong. */
export type Tokens = Record<'ineffective' | 'burning' | 'withoutRole' | 'withoutLimit', Address>

export function drawSales(chain: Chain, dice: Dice, size: number, tokens: Tokens): Draft[] {
  let uniques = 0
  /** The position of the first order of the edition that is minted now. */
  let first = 0
  return Array.from({ length: size }, (_, i): Draft => {
    const edition: Draft = {
      standard: 'erc1155',
      fulfilment: 'transfer',
      contract: getAddress(chain.contracts.erc1155),
      tokenId: '1',
      quantity: 1 + dice.upTo(9),
      network: chain.name,
      obstacle: null,
      answer: null,
      isFickle: false,
      isLate: false,
      sharedWith: 0,
      isUnlimited: false,
    }
    const unique = (tokenId: string): Draft => ({
      ...edition,
      standard: 'erc721',
      contract: getAddress(chain.contracts.erc721),
      tokenId,
      quantity: 1,
    })
    /** Mints a token of its own, or pieces of the same edition as the orders before. */
    function mint(): Draft {
      const fulfilment = 'mint'
      const contract = getAddress(chain.mintable.erc721)
      if (dice.chance(0.5)) return { ...unique(`${i}`), contract, fulfilment }
      if (first === 0 || dice.chance(0.3)) first = i
      // An edition is unlimited or has as many pieces as are ordered.
      const isUnlimited = first % 2 === 0
      const tokenId = `${FIRST_MINTED + first}`
      return { ...edition, tokenId, fulfilment, sharedWith: i - first, isUnlimited }
    }
    if (dice.chance(0.02)) return { ...unique('99999999'), obstacle: 'no such token' }
    if (dice.chance(0.02)) return { ...edition, network: 'nowhere', obstacle: 'unknown network' }
    if (dice.chance(0.02)) return { ...edition, obstacle: 'no wallet' }
    if (dice.chance(0.01)) return { ...edition, contract: NO_CODE, obstacle: 'token without code' }
    const fulfilment = dice.pick('transfer', 'mint')
    if (dice.chance(0.02)) {
      const contract = tokens.ineffective
      return { ...edition, fulfilment, contract, obstacle: 'token without effect' }
    }
    if (dice.chance(0.02)) {
      const contract = tokens.burning
      return { ...edition, fulfilment, contract, obstacle: 'token that burns gas' }
    }
    if (dice.chance(0.01)) {
      const contract = tokens.withoutRole
      return { ...unique(`${i}`), fulfilment: 'mint', contract, obstacle: 'mint without role' }
    }
    if (dice.chance(0.01)) {
      const contract = tokens.withoutLimit
      return { ...unique(`${i}`), fulfilment: 'mint', contract, obstacle: 'mint without limit' }
    }
    const good =
      fulfilment === 'mint' ? mint() : dice.chance(0.5) ? unique(`${uniques++}`) : edition
    if (dice.chance(0.06)) {
      const answer = dice.pick(...hostileAnswers)
      return { ...good, obstacle: 'hostile recipient', answer }
    }
    if (dice.chance(0.06)) return { ...good, answer: 'accepts', isFickle: dice.chance(0.5) }
    return { ...good, isLate: dice.chance(0.03) }
  })
}
