/** An operator imports a catalogue. */
import type { Call } from './calls.ts'
import { billing } from './orders.ts'
import type { Teller } from './teller.ts'

const IMPORT = '5d3c0f0e-6f0c-4d5e-9b1a-2f7c8d9e0a1b'

const user = {
  type: 'user',
  id: 'mona',
  name: 'Mona Maker',
  username: 'mona',
  email: 'mona@example.com',
}
const nft = {
  type: 'nft',
  id: 'moon-1',
  creator: 'mona',
  network: 'localhost',
  contract: '0x00000000000000000000000000000000000000A1',
  contractName: 'Moons',
  tokenId: '1',
  amountType: 'limited',
  amount: 100,
  status: 'released',
  releaseAt: '2026-02-01T12:00:00.000Z',
  priceCents: 2500,
  priceEths: '0.0125',
  priceCurrency: 'EUR',
  metadata: { name: 'Moon #1', image: 'ipfs://bafybeigdyrzt5s/1.png' },
}
const listing = {
  type: 'listing',
  id: 'moon-1-sale',
  nft: 'moon-1',
  seller: 'mona',
  priceCents: 2500,
  priceEths: '0.0125',
  priceCurrency: 'EUR',
}

/** Each refused with one code. */
const refused: [code: string, summary: string, records: object[]][] = [
  ['invalid_input', 'A value has the wrong type', [{ ...nft, tokenId: 1 }]],
  ['duplicate_id', 'Two users have the same id', [user, { ...user, email: 'm@example.com' }]],
  ['user_not_found', 'There is no such creator', [{ ...nft, creator: 'leo' }]],
  ['nft_not_found', 'There is no such NFT', [{ ...listing, id: 'moon-2-sale', nft: 'moon-2' }]],
  ['network_not_found', 'The network is not configured', [{ ...nft, network: 'moon' }]],
  ['identity_taken', 'Another user has the e-mail address', [{ ...user, id: 'leo' }]],
  [
    'username_taken',
    'Another user has the user name',
    [{ ...user, id: 'leo', email: 'leo@example.com' }],
  ],
  ['token_taken', 'Another NFT is this token', [{ ...nft, id: 'moon-2' }]],
  ['cannot_change', 'An NFT stays the same token', [{ ...nft, tokenId: '2' }]],
  ['amount_too_small', 'More pieces are sold', [{ ...nft, amount: 1 }]],
]

export async function catalogueChapter({ show, send, tokens }: Teller): Promise<void> {
  const call = (records: object[], parameters?: Call['parameters']): Call => ({
    token: tokens.shop,
    upload: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    ...(parameters && { parameters }),
  })
  const id = 'importCatalogue'
  await show(200, id, 'part', 'The first lines of an import', call([user, nft], { import: IMPORT }))
  const last = { import: IMPORT, line: 3, commit: 'true' }
  await show(200, id, 'committed', 'The last line of an import', call([listing], last))
  const whole = call([user, nft, { ...listing, active: false }], { dryRun: 'true' })
  await show(200, id, 'dry_run', 'What an import would change', whole)
  // To a buyer without a wallet, so that it is not transferred.
  const order = { nftId: 5, listingId: 7, quantity: 2, buyerUserId: 5, buyerBillingData: billing }
  await send('placeOrders', { token: tokens.shop, body: [order] })
  for (const [code, summary, records] of refused) await show(400, id, code, summary, call(records))
  const gap = call([nft], { import: IMPORT.replace('5', '6'), line: 2 })
  await show(409, id, 'conflict', 'Lines before this one are missing', gap)
}
