/** A process tree that ends as a whole: on a signal, or when one of its processes ends. */
import type { Child } from './child.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Tree = { add: (name: string, child: Child) => void }

export function growTree(): Tree {
  const children: Child[] = []
  let ending = false

  async function end(status: number) {
    if (ending) return
    ending = true
    // The last to start may still need the others while it ends.
    for (const child of children.toReversed()) await child.stop()
    process.exit(status)
  }

  for (const signal of SIGNALS) process.on(signal, () => end(0))
  if (process.env.npm_lifecycle_event) whenOrphaned(() => end(1))
  return {
    add: (name, child) => {
      children.push(child)
      child.ended.then((reason) => {
        if (!ending) console.error(`${name} ended by itself (${reason}), so everything stops.`)
        end(1)
      })
    },
  }
}

/** npm passes signals on, but not the one that kills it at once. */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && act(), 1000).unref()
}
