/** Writes a PNG of few colours. W3C, "Portable Network Graphics", sections 5 and 11. */

export type Rgb = readonly [red: number, green: number, blue: number]

/** For each pixel the place of its colour in the palette. */
export type Line = Uint8Array<ArrayBuffer>

/** At most 256 colours, and lines of one length. */
export type Drawing = { palette: readonly Rgb[]; lines: readonly Line[] }

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** 8 bits a pixel, which are a place in the palette; compression, filtering and interlace: 0. */
const INDEXED = [8, 3, 0, 0, 0]

export async function pngOf({ palette, lines }: Drawing): Promise<Uint8Array<ArrayBuffer>> {
  // Few requests draw, and every start would wait for it.
  const { crc32, deflateSync } = await import('node:zlib')
  const width = lines[0]?.length ?? 0
  // Before each line the filter that it went through: 0 is none.
  const filtered = new Uint8Array((1 + width) * lines.length)
  for (const [y, line] of lines.entries()) filtered.set(line, (1 + width) * y + 1)
  /** The length of the data, a name, the data, and the checksum of name and data. */
  const chunk = (name: string, data: ArrayLike<number>): number[] => {
    const named = [...new TextEncoder().encode(name), ...Array.from(data)]
    return [...uint32(data.length), ...named, ...uint32(crc32(Uint8Array.from(named)))]
  }
  return Uint8Array.from([
    ...SIGNATURE,
    ...chunk('IHDR', [...uint32(width), ...uint32(lines.length), ...INDEXED]),
    ...chunk('PLTE', palette.flat()),
    ...chunk('IDAT', deflateSync(filtered)),
    ...chunk('IEND', []),
  ])
}

/** Big-endian. */
const uint32 = (value: number) =>
  [value >>> 24, value >>> 16, value >>> 8, value].map((n) => n & 255)
