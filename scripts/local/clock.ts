/** The clock of the local instance: that of this machine, moved forward by `/dev/advance`. */
import { readFile, writeFile } from 'node:fs/promises'
import { CLOCK } from './paths.ts'

export type Clock = Awaited<ReturnType<typeof openClock>>

export async function openClock() {
  let offset = await readOffset()
  return {
    now: () => new Date(Date.now() + offset),
    /** Milliseconds by which the clock is ahead of that of this machine. */
    offset: () => offset,
    /** Moves the clock forward to a time. It stays moved after a restart. */
    moveTo: async (time: Date) => {
      offset = Math.max(offset, time.getTime() - Date.now())
      await writeFile(CLOCK, String(offset))
    },
  }
}

/** Returns the time of the local instance, for commands that work with its database. */
export const localNow = async (): Promise<Date> => new Date(Date.now() + (await readOffset()))

const readOffset = () => readFile(CLOCK, 'utf8').then(Number, () => 0)
