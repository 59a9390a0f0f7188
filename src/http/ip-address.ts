/** IP addresses in the form to which `URL` brings them: `192.0.2.1`, `2001:db8::1`. */

export const isIpv6 = (address: string): boolean => address.includes(':')

/** Returns the eight groups of an IPv6 address as numbers. */
export function groupsOf(address: string): number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((part) => part.split(':').flatMap((group) => (group ? Number.parseInt(group, 16) : [])))
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}

/** Returns the bits of an address as text: `0` and `1`, 32 or 128 of them. */
const bitsOf = (address: string): string =>
  isIpv6(address)
    ? groupsOf(address)
        .map((group) => group.toString(2).padStart(16, '0'))
        .join('')
    : address
        .split('.')
        .map((byte) => Number(byte).toString(2).padStart(8, '0'))
        .join('')

/** Returns whether an address is in one of the blocks, such as `10.0.0.0/8`, of its version. */
export function isInBlock(address: string, blocks: readonly string[]): boolean {
  const bits = bitsOf(address)
  return blocks.some((block) => {
    const [network = '', length] = block.split('/')
    return bits.startsWith(bitsOf(network).slice(0, Number(length)))
  })
}
