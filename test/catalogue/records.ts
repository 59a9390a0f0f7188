/** Records of a catalogue. A test passes only the fields that it depends on. */

type Fields = Record<string, unknown>

export const CONTRACT = '0x1111111111111111111111111111111111111111'

export const aUserRecord = (id: string, fields: Fields = {}) => ({
  type: 'user',
  id,
  email: `${id}@example.com`,
  ...fields,
})

/** The NFT `id` is the token of this number. */
export const anNftRecord = (id: string, token: number, fields: Fields = {}) => ({
  type: 'nft',
  id,
  creator: 'cleo',
  network: 'localhost',
  contract: CONTRACT,
  contractName: 'Collectible',
  tokenId: String(token),
  amountType: 'limited',
  amount: 10,
  releaseAt: '2026-01-15T12:00:00.000Z',
  priceCents: 1000,
  priceEths: '0.005',
  priceCurrency: 'EUR',
  metadata: { name: `Picture ${token}` },
  ...fields,
})

export const aListingRecord = (id: string, nft: string, fields: Fields = {}) => ({
  type: 'listing',
  id,
  nft,
  seller: 'cleo',
  priceCents: 1000,
  priceEths: '0.005',
  priceCurrency: 'EUR',
  ...fields,
})

/** As JSON Lines. */
export const linesOf = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
