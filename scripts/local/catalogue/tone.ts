/** Audio files that take no room in the repository. */

/** Samples of a second, each of a byte. */
const RATE = 8000

const words = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)

/** Returns a second of a tone: a WAV file with one channel. */
export function aTone(hertz: number): Buffer<ArrayBuffer> {
  const wave = (_: unknown, i: number) => 128 + 100 * Math.sin((2 * Math.PI * hertz * i) / RATE)
  // PCM in one channel; samples and bytes of a second; bytes and bits of a sample.
  const format = words(16, 0x1_0001, RATE, RATE, 0x8_0001)
  return Buffer.concat([
    ...[Buffer.from('RIFF'), words(36 + RATE), Buffer.from('WAVEfmt '), format],
    ...[Buffer.from('data'), words(RATE), Uint8Array.from({ length: RATE }, wave)],
  ])
}
