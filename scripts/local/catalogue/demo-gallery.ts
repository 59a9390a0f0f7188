/** The NFTs that make the demo look like a marketplace. */

/** Ids of users of the demo. */
const CLEO = 2
const INES = 6
const TOMAS = 7

export type GalleryNft = {
  id: number
  title: string
  description: string
  medium: string
  creator: number
  seller: number
  euros: number
  /** Default: `limited`. */
  amountType?: 'unlimited'
  amount: number
  /** `held`: the seller has the pieces. `mint`: each piece is minted when it is bought. */
  token: 'held' | 'mint' | 'not minted yet' | 'without id'
  isUnlisted?: true
}

const ofCleo = { creator: CLEO, seller: CLEO, token: 'held' } as const
const ofInes = { creator: INES, seller: INES, token: 'mint' } as const
const ofTomas = { creator: TOMAS, seller: CLEO, token: 'held' } as const

/**
 * The last two are in no public list, because they cannot be delivered: demo-orders.ts orders them
 * to show what happens then.
 */
export const gallery: readonly GalleryNft[] = [
  {
    ...ofInes,
    id: 5,
    title: 'Harbour at four',
    euros: 45,
    amount: 250,
    description: 'The fleet comes home before the light goes.\n\nFirst of the series “Coast”.',
    medium: 'Paper cut',
  },
  {
    ...ofCleo,
    id: 6,
    title: 'Paper mountains',
    euros: 60,
    amount: 100,
    description: 'Five ranges, folded from five sheets of blue.',
    medium: 'Paper cut',
  },
  {
    ...ofTomas,
    id: 7,
    title: 'Night ferry',
    euros: 35,
    amount: 500,
    description: 'The last boat leaves at half past eleven. Every window is lit.',
    medium: 'Gouache',
  },
  {
    ...ofInes,
    id: 8,
    title: 'The red one in the orchard',
    euros: 20,
    amountType: 'unlimited',
    amount: 1_000_000,
    description: 'An open edition: as many pieces as people ask for.',
    medium: 'Screen print',
  },
  {
    ...ofTomas,
    id: 9,
    title: 'Glasshouse',
    euros: 80,
    amount: 40,
    description: 'Camellias in February.',
    medium: 'Gouache',
  },
  {
    ...ofCleo,
    id: 10,
    title: 'Low tide',
    euros: 30,
    amount: 300,
    description: 'Half an hour in which the beach belongs to nobody.',
    medium: 'Screen print',
  },
  {
    ...ofInes,
    id: 11,
    title: 'Three lemons',
    euros: 25,
    amount: 150,
    description: 'A still life for kitchens.',
    medium: 'Oil pastel',
  },
  {
    ...ofTomas,
    id: 12,
    title: 'Keeper of the light',
    euros: 55,
    amount: 120,
    description: 'Second of the series “Coast”, painted by a guest of it.',
    medium: 'Gouache',
  },
  {
    ...ofCleo,
    id: 13,
    title: 'The 17:42',
    euros: 40,
    amount: 1742,
    description: 'On time, for once.',
    medium: 'Screen print',
  },
  {
    ...ofInes,
    id: 14,
    title: 'Noon, no wind',
    euros: 28,
    amount: 200,
    description: 'The only shade for a day’s walk.',
    medium: 'Paper cut',
  },
  {
    ...ofCleo,
    id: 15,
    title: 'Kite season',
    euros: 50,
    amount: 100,
    token: 'not minted yet',
    isUnlisted: true,
    description: 'For friends of the gallery, before its release.',
    medium: 'Paper cut',
  },
  {
    ...ofTomas,
    id: 16,
    title: 'Letter to nobody',
    euros: 15,
    amount: 10,
    token: 'without id',
    isUnlisted: true,
    description: 'Its record has no token id yet, so it cannot be delivered.',
    medium: 'Oil pastel',
  },
]
