/** Log lines of transfers: one object each, with ids, hashes and reasons; no keys, no wallets. */

type Line = {
  event: string
  chainId?: number
  network?: string
  transferId?: number
  orderId?: number
  nonce?: number
  attempt?: number
  kind?: string
  hash?: string | null
  reason?: string | null
  transfers?: number
  error?: string
}

/** A step of a transfer. */
export const note = (line: Line): void => console.log(JSON.stringify(line))

/** What an operator has to look at. */
export const alarm = (line: Line): void => console.error(JSON.stringify(line))
