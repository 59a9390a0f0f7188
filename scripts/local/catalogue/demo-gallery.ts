/** The NFTs that make the demo look like a marketplace. Their pictures: demo-scenes.ts. */
import type { scenes } from './demo-scenes.ts'

/** Ids of users of the demo. */
const CLEO = 2
const INES = 6
const TOMAS = 7

export type GalleryNft = {
  id: number
  listingId: number
  title: string
  description: string
  medium: string
  scene: keyof typeof scenes
  creator: number
  seller: number
  euros: number
  amountType: 'limited' | 'unlimited'
  amount: number
  /** `held`: the seller has the pieces. `mint`: each piece is minted when it is bought. */
  token: 'held' | 'mint' | 'not minted yet' | 'without id'
  isUnlisted: boolean
  releaseAt: string
}

const ofCleo = { creator: CLEO, seller: CLEO, token: 'held' } as const
const ofInes = { creator: INES, seller: INES, token: 'mint' } as const
const ofTomas = { creator: TOMAS, seller: CLEO, token: 'held' } as const
const released = { isUnlisted: false } as const
const limitedTo = (amount: number) => ({ amountType: 'limited', amount }) as const

/**
 * The last two are in no public list, because they cannot be delivered: demo-orders.ts orders them
 * to show what happens then.
 */
export const gallery: readonly GalleryNft[] = [
  {
    ...{ id: 5, listingId: 7, title: 'Harbour at four', scene: 'harbour', euros: 45 },
    ...ofInes,
    ...limitedTo(250),
    ...released,
    description: 'The fleet comes home before the light goes.\n\nFirst of the series “Coast”.',
    medium: 'Paper cut',
    releaseAt: '2026-02-20T12:00:00.000Z',
  },
  {
    ...{ id: 6, listingId: 8, title: 'Paper mountains', scene: 'mountains', euros: 60 },
    ...ofCleo,
    ...limitedTo(100),
    ...released,
    description: 'Five ranges, folded from five sheets of blue.',
    medium: 'Paper cut',
    releaseAt: '2026-02-19T12:00:00.000Z',
  },
  {
    ...{ id: 7, listingId: 9, title: 'Night ferry', scene: 'ferry', euros: 35 },
    ...ofTomas,
    ...limitedTo(500),
    ...released,
    description: 'The last boat leaves at half past eleven. Every window is lit.',
    medium: 'Gouache',
    releaseAt: '2026-02-18T12:00:00.000Z',
  },
  {
    ...{ id: 8, listingId: 10, title: 'The red one in the orchard', scene: 'orchard', euros: 20 },
    ...ofInes,
    amountType: 'unlimited',
    amount: 1_000_000,
    ...released,
    description: 'An open edition: as many pieces as people ask for.',
    medium: 'Screen print',
    releaseAt: '2026-02-17T12:00:00.000Z',
  },
  {
    ...{ id: 9, listingId: 11, title: 'Glasshouse', scene: 'glasshouse', euros: 80 },
    ...ofTomas,
    ...limitedTo(40),
    ...released,
    description: 'Camellias in February.',
    medium: 'Gouache',
    releaseAt: '2026-02-16T12:00:00.000Z',
  },
  {
    ...{ id: 10, listingId: 12, title: 'Low tide', scene: 'lowTide', euros: 30 },
    ...ofCleo,
    ...limitedTo(300),
    ...released,
    description: 'Half an hour in which the beach belongs to nobody.',
    medium: 'Screen print',
    releaseAt: '2026-02-15T12:00:00.000Z',
  },
  {
    ...{ id: 11, listingId: 13, title: 'Three lemons', scene: 'lemons', euros: 25 },
    ...ofInes,
    ...limitedTo(150),
    ...released,
    description: 'A still life for kitchens.',
    medium: 'Oil pastel',
    releaseAt: '2026-02-14T12:00:00.000Z',
  },
  {
    ...{ id: 12, listingId: 14, title: 'Keeper of the light', scene: 'lighthouse', euros: 55 },
    ...ofTomas,
    ...limitedTo(120),
    ...released,
    description: 'Second of the series “Coast”, painted by a guest of it.',
    medium: 'Gouache',
    releaseAt: '2026-02-13T12:00:00.000Z',
  },
  {
    ...{ id: 13, listingId: 15, title: 'The 17:42', scene: 'commuters', euros: 40 },
    ...ofCleo,
    ...limitedTo(1742),
    ...released,
    description: 'On time, for once.',
    medium: 'Screen print',
    releaseAt: '2026-02-12T12:00:00.000Z',
  },
  {
    ...{ id: 14, listingId: 16, title: 'Noon, no wind', scene: 'desert', euros: 28 },
    ...ofInes,
    ...limitedTo(200),
    ...released,
    description: 'The only shade for a day’s walk.',
    medium: 'Paper cut',
    releaseAt: '2026-02-11T12:00:00.000Z',
  },
  {
    ...{ id: 15, listingId: 17, title: 'Kite season', scene: 'kites', euros: 50 },
    ...ofCleo,
    ...limitedTo(100),
    token: 'not minted yet',
    isUnlisted: true,
    description: 'For friends of the gallery, before its release.',
    medium: 'Paper cut',
    releaseAt: '2026-02-10T12:00:00.000Z',
  },
  {
    ...{ id: 16, listingId: 18, title: 'Letter to nobody', scene: 'letter', euros: 15 },
    ...ofTomas,
    ...limitedTo(10),
    token: 'without id',
    isUnlisted: true,
    description: 'Its record has no token id yet, so it cannot be delivered.',
    medium: 'Oil pastel',
    releaseAt: '2026-02-09T12:00:00.000Z',
  },
]
