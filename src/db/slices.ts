/** Characters of a bound value. D1 limits it to 2,000,000 bytes. */
const MAX_LENGTH = 500_000

/** Returns rows as JSON arrays, each short enough for a bound value. A bigint becomes text. */
export function toJsonSlices(rows: readonly unknown[]): string[] {
  const slices: string[][] = []
  let length = Infinity
  for (const row of rows) {
    const text = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    length += text.length + 1
    if (length > MAX_LENGTH) {
      slices.push([])
      length = text.length
    }
    slices.at(-1)?.push(text)
  }
  return slices.map((slice) => `[${slice}]`)
}
