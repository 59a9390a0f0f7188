/** The picture of a user, and the cover of an NFT. */
import { type AvatarOwner, avatarUrl } from '../../avatars/url.ts'
import { artUrl } from '../../http/links.ts'
import type { Nft } from '../../orders/nft.ts'
import { usePage } from './request.ts'

/** `size` is in pixels. The picture stands beside a name, so screen readers skip it. */
export const UserPicture = ({ user, size }: { user: AvatarOwner; size: number }) => (
  // A path, because pages may only load pictures of the host that served them.
  <img class="avatar" src={avatarUrl('', user)} alt="" width={size} height={size} />
)

type CoverProps = {
  nft: { id: number } & ({ hasArt: boolean } | Pick<Nft, 'coverKey' | 'payload'>)
  size?: 'card' | 'page'
}

const hasArt = (nft: CoverProps['nft']): boolean => {
  if ('hasArt' in nft) return nft.hasArt
  const { metadata } = nft.payload as { metadata?: { image?: unknown } }
  const { COVERS_URL } = usePage().settings
  return !!(COVERS_URL && nft.coverKey) || typeof metadata?.image === 'string'
}

/** A drawing that depends on the NFT only. The art, if there is any, lies above it. */
export const Cover = ({ nft, size = 'card' }: CoverProps) => {
  const { id } = nft
  const random = randomNumbers(id)
  const hue = random(360)
  return (
    <div class={size === 'page' ? 'cover whole' : 'cover'}>
      <svg viewBox="0 0 96 96" aria-hidden="true">
        <rect width="96" height="96" fill={`hsl(${hue} 40% 30%)`} />
        {[44, 32, 20].map((radius, layer) => (
          <circle
            cx={random(96)}
            cy={random(96)}
            r={radius + random(12)}
            fill={`hsl(${(hue + 24 * layer) % 360} 60% ${48 + 12 * layer}%)`}
            fill-opacity="0.6"
          />
        ))}
      </svg>
      {hasArt(nft) && <img src={artUrl('', id, size)} alt="" loading="lazy" />}
    </div>
  )
}

/** Returns a function that returns integers below a limit: the same ones for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return (limit) => {
    // The generator mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
