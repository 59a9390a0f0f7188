/** Moves the clock of SQLite in the statements of a database. */

type Prepares = Pick<D1Database, 'prepare'>

/** An argument of a function of time. `->> 'now'` names a field. */
const NOW = /(?<=[(,] *)'now'/g

/** Returns the database with `'now'` moved forward. `offset` returns milliseconds. */
export const moveSql = (database: D1Database, offset: () => number): D1Database =>
  replace(database, {
    ...movedPrepare(database, offset),
    withSession: (start?: string) => {
      const session = database.withSession(start)
      return replace(session, movedPrepare(session, offset))
    },
  })

const movedPrepare = (database: Prepares, offset: () => number): Prepares => ({
  prepare: (query) => database.prepare(query.replace(NOW, `'now', '+${offset() / 1000} seconds'`)),
})

/** Returns the object with some of its methods replaced. The others keep it as their `this`. */
const replace = <T extends object>(target: T, methods: Partial<T>): T =>
  new Proxy(target, {
    get: (_, name) => {
      const value = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
