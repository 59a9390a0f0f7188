/** What the pictures of the demo catalogue show. Each is drawn from the back to the front. */
import { type Colour, createPicture, mix, type Picture } from './picture.ts'

type Scene = (picture: Picture) => void

/** Returns the scene as a `data:` URL. */
export function draw(scene: Scene): string {
  const picture = createPicture()
  scene(picture)
  return picture.toUrl()
}

/** A line of waves around a height. */
const wave =
  (height: number, swing: number, length: number, shift = 0) =>
  (x: number) =>
    height + swing * Math.sin(((x + shift) / length) * 2 * Math.PI)

/** Numbers from 0 to below `count`. */
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Points that look thrown, the same ones each time. */
const scattered = (count: number) =>
  upTo(count).map((i) => ({ x: (i * 61.8 + 7) % 100, y: (i * 75.49 + 11) % 100, i }))

/** Waves in colours between two, one behind the other. */
const waves =
  (from: Colour, to: Colour, swing: number): Scene =>
  ({ gradient, below }) => {
    gradient(from, mix(from, to, 0.3))
    for (const i of upTo(9))
      below(mix(from, to, (i + 1) / 9), wave(12 + i * 10, swing, 70 + i * 9, i * 23))
  }

/** A boat with a sail, whose hull begins at this point. */
function drawBoat({ polygon }: Picture, sail: Colour, x: number, y: number, size: number): void {
  polygon(
    '#3b2430',
    [x, y],
    [x + size, y],
    [x + size * 0.8, y + size * 0.2],
    [x + size * 0.2, y + size * 0.2],
  )
  const mast = x + size * 0.5
  polygon(sail, [mast, y - size], [mast, y - size * 0.1], [x + size * 0.08, y - size * 0.1])
  polygon(
    mix(sail, '#3b2430', 0.2),
    [mast + size * 0.05, y - size * 0.8],
    [mast + size * 0.05, y - size * 0.1],
    [x + size * 0.88, y - size * 0.1],
  )
}

/** A tree with a round crown, whose trunk ends at this point. */
function drawTree(
  { disc, rectangle }: Picture,
  crown: Colour,
  x: number,
  y: number,
  size: number,
): void {
  rectangle('#5b3a29', x - size * 0.1, y - size, size * 0.2, size)
  disc(crown, x, y - size * 1.2, size * 0.7)
  disc(mix(crown, '#ffffff', 0.15), x - size * 0.2, y - size * 1.4, size * 0.35)
}

export const scenes = {
  onlyOne: waves('#141e5a', '#fabe78', 5),

  openEdition: waves('#78144a', '#a0e6d2', 4),

  million: ({ gradient, disc }) => {
    gradient('#f6efe2', '#efe2cd')
    for (const row of upTo(10))
      for (const column of upTo(10)) {
        const isOne = row === 6 && column === 3
        disc(isOne ? '#e4572e' : '#23395b', 8 + column * 9.33, 8 + row * 9.33, isOne ? 3.6 : 2.4)
      }
  },

  harbour: (picture) => {
    const { gradient, disc, rectangle } = picture
    gradient('#33476f', '#ffb887')
    disc('#ffe3b0', 64, 56, 11)
    rectangle('#2d5570', 0, 60, 100, 40)
    for (const i of upTo(7)) rectangle('#f2b98b', 64 - 12 + i * 1.6, 63 + i * 4, 24 - i * 3.2, 1.2)
    drawBoat(picture, '#f7ede2', 12, 74, 26)
    drawBoat(picture, '#e07a5f', 54, 83, 34)
    drawBoat(picture, '#f2cc8f', 44, 64, 10)
  },

  mountains: ({ gradient, disc, polygon }) => {
    gradient('#f9d5a7', '#fdf1dc')
    disc('#e76f51', 70, 26, 9)
    for (const i of upTo(5)) {
      const colour = mix('#9cc5c9', '#1f3b4d', i / 4)
      const height = 38 + i * 12
      const shift = (i * 37) % 50
      for (const peak of [-50, 0, 50, 100]) {
        const top = peak + shift
        polygon(colour, [top, height - 18], [top + 46, 100], [top - 46, 100])
        polygon(mix(colour, '#ffffff', 0.18), [top, height - 18], [top + 8, 100], [top - 46, 100])
      }
    }
  },

  ferry: ({ gradient, disc, polygon, rectangle, below }) => {
    gradient('#0b1033', '#3a3f7a')
    for (const { x, y, i } of scattered(46)) disc('#dfe6ff', x, y * 0.55, i % 5 === 0 ? 0.5 : 0.28)
    disc('#f5f1d6', 78, 20, 9)
    disc('#14193f', 74, 18, 8)
    rectangle('#e8ecf5', 26, 52, 44, 8)
    rectangle('#ced5e6', 32, 45, 30, 7)
    rectangle('#e4572e', 50, 35, 7, 10)
    for (const i of upTo(8)) rectangle('#ffd166', 29 + i * 5, 54.5, 2.8, 2.8)
    for (const i of upTo(5)) rectangle('#ffd166', 35 + i * 5, 47, 2.6, 2.6)
    polygon('#c8d0e4', [14, 60], [86, 60], [78, 72], [22, 72])
    for (const i of upTo(4))
      below(mix('#23408e', '#0a1440', i / 3), wave(70 + i * 8, 1.4, 26 + i * 6, i * 11))
  },

  orchard: (picture) => {
    const { gradient, disc, below } = picture
    gradient('#bfe3f0', '#f6f4dd')
    disc('#ffd25f', 22, 20, 8)
    below('#a7c957', wave(52, 5, 120))
    for (const i of upTo(7)) drawTree(picture, '#4f8a3c', 8 + i * 14, 56 + (i % 2) * 2, 7)
    below('#6a994e', wave(64, 4, 90, 30))
    for (const i of upTo(5)) drawTree(picture, i === 2 ? '#d1495b' : '#386641', 10 + i * 20, 78, 12)
    below('#386641', wave(86, 2, 70, 10))
  },

  glasshouse: ({ gradient, polygon, rectangle, disc, below }) => {
    gradient('#14342b', '#60935d')
    below('#1b2d25', () => 84)
    polygon('#cfe8dc', [14, 84], [14, 44], [50, 18], [86, 44], [86, 84])
    for (const { x, y, i } of scattered(26))
      disc(mix('#2f6b46', '#8fbf6a', (i % 6) / 5), 20 + x * 0.6, 62 + y * 0.2, 4 + (i % 3))
    for (const { x, y } of scattered(9)) disc('#ef798a', 22 + x * 0.56, 58 + y * 0.22, 1.4)
    for (const i of upTo(7)) rectangle('#f4fbf7', 14 + i * 11.8, 44, 0.9, 40)
    for (const i of upTo(3)) rectangle('#f4fbf7', 14, 44 + i * 13, 72.8, 0.9)
    for (const x of [14, 37, 63, 86])
      polygon('#f4fbf7', [49.5, 18], [50.5, 18], [x + 0.9, 44], [x, 44])
    rectangle('#1b2d25', 0, 84, 100, 16)
  },

  lowTide: ({ gradient, disc, below }) => {
    gradient('#f4a698', '#fbe3c0')
    disc('#fff6e0', 50, 30, 13)
    for (const i of upTo(8)) {
      const share = i / 7
      below(mix('#5fa8a3', '#e8d3a2', share), wave(46 + i * 7, 2 + share * 3, 130 - i * 9, i * 31))
    }
    for (const { x, y, i } of scattered(14)) disc('#b98b5e', x, 84 + y * 0.15, 0.5 + (i % 3) * 0.3)
  },

  lemons: ({ gradient, disc, polygon, rectangle }) => {
    gradient('#27476e', '#3f6a94')
    rectangle('#f3e9dc', 0, 66, 100, 34)
    rectangle('#d8c9b4', 0, 66, 100, 1.6)
    for (const [x, y, size] of [
      [34, 60, 15],
      [62, 62, 13],
      [48, 74, 16],
    ] as const) {
      disc('#cdbca3', x + 2, y + size * 0.4, size * 0.85)
      polygon('#e0ac1c', [x + size * 0.7, y - 4], [x + size * 1.3, y], [x + size * 0.7, y + 4])
      disc('#f2c230', x, y, size)
      disc('#f9dc6b', x - size * 0.3, y - size * 0.3, size * 0.5)
    }
    polygon('#4f8a3c', [62, 50], [76, 38], [84, 46], [72, 52])
    polygon('#6aa84f', [62, 50], [76, 38], [74, 46])
  },

  lighthouse: ({ gradient, disc, polygon, rectangle, below }) => {
    gradient('#1d2b53', '#7e5a83')
    polygon('#8f7a94', [50, 26], [100, 4], [100, 34])
    polygon('#8f7a94', [46, 26], [0, 12], [0, 36])
    polygon('#f7f3ea', [42, 32], [54, 32], [58, 82], [38, 82])
    for (const i of upTo(3)) {
      const top = 40 + i * 15
      const lean = (top - 32) * 0.08
      polygon(
        '#d1343b',
        [42 - lean, top],
        [54 + lean, top],
        [54.6 + lean, top + 7],
        [41.4 - lean, top + 7],
      )
    }
    rectangle('#2b2b3d', 40, 30, 16, 2)
    rectangle('#ffe08a', 43, 22, 10, 8)
    polygon('#d1343b', [41, 22], [48, 15], [55, 22])
    disc('#fff6cf', 48, 26, 3)
    polygon('#2c2438', [20, 100], [32, 80], [64, 78], [84, 100])
    for (const i of upTo(3))
      below(mix('#34507e', '#16264d', i / 2), wave(86 + i * 5, 1.2, 22 + i * 5, i * 8))
  },

  commuters: ({ gradient, disc, rectangle }) => {
    gradient('#ffcf99', '#ff8a5c')
    disc('#fff0c9', 30, 34, 10)
    for (const i of upTo(9)) rectangle('#c8553d', i * 12 - 3, 36 + ((i * 29) % 22), 10, 64)
    for (const i of upTo(7)) {
      const x = i * 15 - 2
      const top = 48 + ((i * 17) % 20)
      rectangle('#4a2545', x, top, 13, 60)
      for (const row of upTo(6))
        for (const column of upTo(3))
          if ((i + row * 2 + column) % 3 > 0)
            rectangle('#ffd97d', x + 2 + column * 3.4, top + 3 + row * 5, 1.8, 2.6)
    }
    rectangle('#241432', 0, 84, 100, 16)
    rectangle('#e9e3f0', 8, 76, 78, 9)
    for (const i of upTo(9)) rectangle('#35507a', 11 + i * 8.2, 78, 5.4, 3.6)
    rectangle('#8d86a5', 0, 86, 100, 1)
  },

  desert: ({ gradient, disc, rectangle, below }) => {
    gradient('#f7b267', '#fce5b8')
    disc('#f25c54', 66, 34, 14)
    below('#e79a5b', wave(60, 6, 110, 20))
    below('#d17a45', wave(72, 5, 80, 60))
    rectangle('#2f6b52', 27, 44, 6, 40)
    disc('#2f6b52', 30, 44, 3)
    rectangle('#2f6b52', 19, 58, 10, 4)
    rectangle('#2f6b52', 18, 50, 4.4, 12)
    disc('#2f6b52', 20.2, 50, 2.2)
    rectangle('#2f6b52', 32, 64, 9, 4)
    rectangle('#2f6b52', 38, 55, 4.4, 13)
    disc('#2f6b52', 40.2, 55, 2.2)
    below('#a85632', wave(84, 3, 60, 15))
  },

  kites: ({ gradient, disc, polygon, below }) => {
    gradient('#5fb0e5', '#d9f1fb')
    for (const [x, y] of [
      [20, 66],
      [74, 58],
    ] as const)
      for (const i of upTo(4)) disc('#f7fcff', x + i * 5 - 8, y - (i % 2) * 3, 5)
    for (const [x, y, size, colour] of [
      [32, 24, 12, '#ef476f'],
      [66, 36, 9, '#ffd166'],
      [50, 56, 6, '#7b4bb7'],
    ] as const) {
      polygon(colour, [x, y - size], [x + size * 0.7, y], [x, y + size * 1.3], [x - size * 0.7, y])
      polygon(mix(colour, '#ffffff', 0.3), [x, y - size], [x, y + size * 1.3], [x - size * 0.7, y])
      polygon('#35505f', [x, y + size * 1.3], [x + 0.5, y + size * 1.3], [x + 5.4, 88], [x + 5, 88])
    }
    below('#7fb069', wave(84, 3, 110, 40))
    below('#4f8a3c', wave(91, 2, 80, 10))
  },

  letter: ({ gradient, polygon, rectangle, disc }) => {
    gradient('#5d4157', '#a8606b')
    polygon('#4a3346', [16, 36], [88, 32], [90, 80], [18, 82])
    rectangle('#fbf3e4', 14, 30, 72, 46)
    polygon('#eadcc3', [14, 76], [42, 52], [58, 52], [86, 76])
    polygon('#f4e7d0', [14, 30], [50, 60], [86, 30])
    disc('#b3293a', 50, 57, 5.5)
    disc('#cf4656', 50, 57, 3.4)
  },
} satisfies Record<string, Scene>
