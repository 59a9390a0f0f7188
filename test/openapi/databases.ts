/** Databases that fail, or change, while a request is served. */
import { env } from 'cloudflare:workers'

type Batch = D1DatabaseSession['batch']

/** The database of the tests with another `batch`. */
function databaseWith(batch: (real: D1DatabaseSession) => Batch): D1Database {
  const withSession = (bookmark?: string) => {
    const real = env.DB.withSession(bookmark)
    return {
      prepare: (sql: string) => real.prepare(sql),
      getBookmark: () => real.getBookmark(),
      batch: batch(real),
    }
  }
  return { withSession } as unknown as D1Database
}

/** Every call fails with the message. */
export const brokenDatabase = (message: string) =>
  databaseWith(() => () => Promise.reject(new Error(message)))

/** Something is changed before every call. */
export const racingDatabase = (change: () => Promise<unknown>) =>
  databaseWith((real) => async (statements) => {
    await change()
    return real.batch(statements)
  })
