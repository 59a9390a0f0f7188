import { globSync } from 'node:fs'
import { basename } from 'node:path'

/** The names of the files in `migrations/`, in the order in which they are applied. */
export const migrations = globSync('migrations/*.sql')
  .map((file) => basename(file))
  .sort()
