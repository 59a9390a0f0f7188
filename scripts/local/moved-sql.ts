/** Moves the clock of SQLite in the statements of a database. */

/** Where statements ask SQLite for the time. Other texts may be `'now'` too, as keys of JSON. */
const SQL_NOW = /strftime\('[^']*', 'now'/g

type Prepares = Pick<D1Database, 'prepare'>

/** Returns the database with the time of `strftime` moved forward. `offset` returns milliseconds. */
export const moveSql = (database: D1Database, offset: () => number): D1Database =>
  replace(database, {
    ...movedPrepare(database, offset),
    withSession: (start?: string) => {
      const session = database.withSession(start)
      return replace(session, movedPrepare(session, offset))
    },
  })

const movedPrepare = (database: Prepares, offset: () => number): Prepares => ({
  prepare: (query) =>
    database.prepare(query.replaceAll(SQL_NOW, `$&, '+${offset() / 1000} seconds'`)),
})

/** Returns the object with some of its methods replaced. The others keep it as their `this`. */
const replace = <T extends object>(target: T, methods: Partial<T>): T =>
  new Proxy(target, {
    get: (_, name) => {
      const value = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
