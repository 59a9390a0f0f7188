/** What a hostile campaign works with. */
import type { Endpoint } from '../../../scripts/build/openapi/list.ts'
import type { ChainRecord } from '../../support/chain/chain.ts'
import type { Dice } from '../../support/delivery/campaign/dice.ts'
import type { Attacker, Forger } from './attackers.ts'
import type { Marker, Sale, Victims } from './victims.ts'

export type World = {
  dice: Dice
  chain: Pick<ChainRecord, 'rpcUrl' | 'delivery'>
  victims: Victims
  attackers: Attacker[]
  forge: Forger
  /** Everything that is for sale. */
  sales: Sale[]
  markers: Marker[]
  /** The lines that were logged since the last request. */
  lines: string[]
  /** The mails that were sent since the last request. */
  mails: { to: string; subject: string; text: string }[]
  /** Objects of the bucket: key to ETag. */
  pictures: Map<string, string>
  /** The buyer of each order. */
  buyerOf: Map<number, number>
  /** The attacker who asked for a message, by its nonce. */
  nonces: Map<unknown, string>
  /** Endpoints to attack before any of them is attacked again. */
  next: Endpoint[]
  /** Requests that were not refused. */
  accepted: number
  /** Tokens of the robbed victim that the thief may end, and that work again for the next request. */
  ended: string[]
  /** Requests that were sent. */
  steps: number
}
