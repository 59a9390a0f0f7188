/** How many blocks the next range has. */

const FIRST_SIZE = 10_000
/** Answers of this many events are large enough. */
const ENOUGH_LOGS = 5_000
/** Successes near a limit after which a size above it is tried again. */
const STEADY = 20

export class RangeSize {
  blocks = FIRST_SIZE
  /** The size that failed last. Sizes stay below it for a while. */
  #limit = Infinity
  #steady = 0

  /** Halves the size. */
  failed(blocks: number): void {
    this.#limit = blocks
    this.#steady = 0
    this.blocks = Math.max(1, Math.floor(blocks / 2))
  }

  /** Doubles the size, or goes half the way to the limit. A shorter last range tells nothing. */
  succeeded(blocks: number, logs: number): void {
    if (blocks < this.blocks || logs > ENOUGH_LOGS) return
    const middle = Math.floor((blocks + this.#limit) / 2)
    if (blocks * 2 < this.#limit) this.blocks = blocks * 2
    else if (middle > blocks * 1.05) this.blocks = middle
    else if (++this.#steady === STEADY) this.#limit = Infinity
    if (this.#limit === Infinity) this.#steady = 0
  }
}
