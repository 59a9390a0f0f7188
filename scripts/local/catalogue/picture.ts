/** Pictures of flat shapes as PNG files with a palette, so small that they fit into metadata. */
import { crc32, deflateSync } from 'node:zlib'

/** Pixels of an edge. Pages show fewer, which smooths the outlines. */
const EDGE = 900

/** Coordinates go from 0, at the top left, to this. */
const UNITS = 100
const SCALE = EDGE / UNITS

/** Steps of a gradient. */
const STEPS = 48

/** A colour such as `#2a1e5c`. */
export type Colour = string
type Point = readonly [x: number, y: number]

type Pixels = { palette: Colour[]; indexes: Uint8Array }
export type Picture = {
  /** Fills the picture with a gradient from the top to the bottom. */
  gradient: (top: Colour, bottom: Colour) => void
  disc: (colour: Colour, x: number, y: number, radius: number) => void
  polygon: (colour: Colour, ...points: readonly Point[]) => void
  /** `x` and `y` are those of the top left corner. */
  rectangle: (colour: Colour, x: number, y: number, width: number, height: number) => void
  /** Fills what is below a line. */
  below: (colour: Colour, lineAt: (x: number) => number) => void
  /** Returns the picture as a `data:` URL. */
  toUrl: () => string
}

export function createPicture(): Picture {
  const pixels: Pixels = { palette: [], indexes: new Uint8Array(EDGE * EDGE) }

  /** Returns the number of a colour in the palette. */
  function indexOf(colour: Colour): number {
    const known = pixels.palette.indexOf(colour)
    return known === -1 ? pixels.palette.push(colour) - 1 : known
  }

  /** Fills a part of a row of pixels. */
  function fillRow(index: number, row: number, from: number, to: number): void {
    const start = Math.max(0, Math.round(from * SCALE))
    const end = Math.min(EDGE, Math.round(to * SCALE))
    if (start < end) pixels.indexes.fill(index, row * EDGE + start, row * EDGE + end)
  }

  const disc: Picture['disc'] = (colour, x, y, radius) => {
    const index = indexOf(colour)
    for (const [row, height] of rowsBetween(y - radius, y + radius)) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (height - y) ** 2))
      fillRow(index, row, x - half, x + half)
    }
  }

  const polygon: Picture['polygon'] = (colour, ...points) => {
    const index = indexOf(colour)
    const heights = points.map(([, y]) => y)
    for (const [row, height] of rowsBetween(Math.min(...heights), Math.max(...heights))) {
      const crossings = crossingsAt(points, height)
      for (let i = 0; i + 1 < crossings.length; i += 2)
        fillRow(index, row, crossings[i] ?? 0, crossings[i + 1] ?? 0)
    }
  }

  return {
    disc,
    polygon,
    gradient: (top, bottom) => {
      for (const [row, height] of rowsBetween(0, UNITS)) {
        const step = Math.floor((height / UNITS) * STEPS)
        fillRow(indexOf(mix(top, bottom, step / (STEPS - 1))), row, 0, UNITS)
      }
    },
    rectangle: (colour, x, y, width, height) =>
      polygon(colour, [x, y], [x + width, y], [x + width, y + height], [x, y + height]),
    below: (colour, lineAt) => {
      const line = Array.from({ length: UNITS + 1 }, (_, x): Point => [x, lineAt(x)])
      polygon(colour, ...line, [UNITS, UNITS], [0, UNITS])
    },
    toUrl: () => `data:image/png;base64,${toPng(pixels).toString('base64')}`,
  }
}

/** Returns the rows of pixels between two heights, each with the height of its middle. */
function* rowsBetween(top: number, bottom: number): Generator<[row: number, height: number]> {
  const end = Math.min(EDGE, Math.round(bottom * SCALE))
  for (let row = Math.max(0, Math.round(top * SCALE)); row < end; row++)
    yield [row, (row + 0.5) / SCALE]
}

/** Returns where the outline of a polygon crosses a height, from left to right. */
function crossingsAt(points: readonly Point[], height: number): number[] {
  const crossings = points.flatMap(([x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length] ?? [x, y]
    if (y > height === nextY > height) return []
    return [x + ((height - y) / (nextY - y)) * (nextX - x)]
  })
  return crossings.sort((a, b) => a - b)
}

const channelsOf = (colour: Colour) =>
  [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))

/** Returns the colour between two. `share`: 0 for the first one, 1 for the second one. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const ends = channelsOf(to)
  const channels = channelsOf(from).map((value, i) =>
    Math.round(value + ((ends[i] ?? 0) - value) * share),
  )
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function toPng({ palette, indexes }: Pixels): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(EDGE, 0)
  header.writeUInt32BE(EDGE, 4)
  // Eight bits for each pixel, which are numbers of the palette.
  header.set([8, 3], 8)
  // Each row begins with its filter. 0 is none.
  const rows = Buffer.alloc(EDGE * (EDGE + 1))
  for (let y = 0; y < EDGE; y++)
    rows.set(indexes.subarray(y * EDGE, (y + 1) * EDGE), y * (EDGE + 1) + 1)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A chunk of a PNG: length, type, content and checksum. */
function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  return Buffer.concat([uint32(content.length), body, uint32(crc32(body))])
}
