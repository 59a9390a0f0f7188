/** A pattern of coloured cells, symmetric as a face is, that stands for a text. */
import type { Drawing, Line, Rgb } from './png.ts'

/** Pixels: 5 × 5 cells with a margin around them make 512 × 512. */
const CELL = 80
const MARGIN = 56
const CELLS = 5
const EDGE = MARGIN + CELLS * CELL + MARGIN

/** Places in the palette. A cell is as often empty as it is not. */
const EMPTY = 0
const inks = [EMPTY, EMPTY, 1, 2]

/** The same for the same text. */
export async function identicon(text: string): Promise<Drawing> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const [turn = 0, ...bytes] = new Uint8Array(digest)
  const hue = (turn / 256) * 360
  const palette = [hsl(hue, 0.45, 0.95), hsl(hue, 0.6, 0.45), hsl(hue + 40, 0.65, 0.65)]
  const margin = Array<Line>(MARGIN).fill(new Uint8Array(EDGE))
  const rows = Array.from({ length: CELLS }, (_, row) =>
    Array<Line>(CELL).fill(lineOf(bytes.slice(row * CELLS))),
  )
  return { palette, lines: [...margin, ...rows.flat(), ...margin] }
}

/** One line of pixels through a row of cells, the right half of which mirrors the left. */
function lineOf(bytes: readonly number[]): Line {
  const line = new Uint8Array(EDGE)
  for (let column = 0; column < CELLS; column++) {
    const byte = bytes[Math.min(column, CELLS - 1 - column)] ?? 0
    const left = MARGIN + column * CELL
    line.fill(inks[byte % inks.length] ?? EMPTY, left, left + CELL)
  }
  return line
}

/** Hue in degrees, saturation and lightness from 0 to 1. CSS Color 4, "Converting HSL to sRGB". */
function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
