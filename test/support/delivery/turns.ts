/** Concurrent runs whose steps interleave in an order that a seed decides. */
import type { Turns } from './life.ts'

type Waiting = { run: object; go: () => void }

/**
 * Only one step is under way at a time, and the next is drawn when every run that goes on stands
 * before one: so the same seed leads to the same order, however long each step takes.
 */
export function drawnTurns(random: () => number): Turns {
  const running = new Set<object>()
  const waiting: Waiting[] = []
  let isTaken = false

  function next() {
    const ready = new Set(waiting.map(({ run }) => run))
    if (isTaken || [...running].some((run) => !ready.has(run))) return
    const [chosen] = waiting.splice(Math.floor(random() * waiting.length), 1)
    if (!chosen) return
    isTaken = true
    chosen.go()
  }

  return {
    enter: (run) => void running.add(run),
    leave(run) {
      running.delete(run)
      next()
    },
    async take(run, act) {
      await new Promise<void>((go) => {
        waiting.push({ run, go })
        next()
      })
      try {
        return await act()
      } finally {
        isTaken = false
        next()
      }
    },
  }
}
