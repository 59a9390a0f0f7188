import type { Database } from '../db/client.ts'
import { ApiError } from './errors.ts'

/**
 * Reads from the nearest copy of the database, whatever the caller has seen, then goes on at the
 * primary. If a replica's answer leads to an error, reads again at the primary: what was missing may
 * be new.
 */
export async function readNearest<T>(db: Database, read: () => Promise<T>): Promise<T> {
  db.$client.goTo('nearest')
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ApiError && db.$client.sawReplica)) throw error
    db.$client.goTo('primary')
    return await read()
  } finally {
    db.$client.goTo('primary')
  }
}
