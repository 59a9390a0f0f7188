/** The clock of the local instance: that of this machine, moved forward by `/dev/advance`. */
import { readFile, writeFile } from 'node:fs/promises'
import { CLOCK } from './paths.ts'

export type Clock = {
  now: () => Date
  /** Milliseconds by which the clock is ahead of that of this machine. */
  offset: () => number
  /** Moves the clock forward to a time. It stays moved after a restart. */
  moveTo: (time: Date) => Promise<void>
}

export async function openClock(): Promise<Clock> {
  let offset = await readOffset()
  return {
    now: () => new Date(Date.now() + offset),
    offset: () => offset,
    moveTo: async (time) => {
      offset = Math.max(offset, time.getTime() - Date.now())
      await writeFile(CLOCK, String(offset))
    },
  }
}

/** Returns the time of the local instance, for commands that work with its database. */
export const localNow = async (): Promise<Date> => new Date(Date.now() + (await readOffset()))

const readOffset = () => readFile(CLOCK, 'utf8').then(Number, () => 0)
