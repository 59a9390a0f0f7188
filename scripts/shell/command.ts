/** What all commands share: arguments, and failures told in a sentence. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Something that whoever typed the command can put right: told without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** Runs a command; what it throws ends the process with status 1. */
export async function command(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(failureIn(error)?.message ?? error)
    process.exit(1)
  }
}

/** The failure itself, or the one that another error, as a database driver's, came from. */
function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  return error instanceof Error ? failureIn(error.cause) : undefined
}

type Options = NonNullable<ParseArgsConfig['options']>

/** The options after `--`. Throws a failure that shows the usage. */
export function optionsOf<T extends Options>(options: T, usage: string) {
  try {
    return parseArgs({ options, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure(`${reason}\n${usage}`)
  }
}

/** A whole number of an option or variable. Throws a failure that names it. */
export function wholeNumber(name: string, value: string, from = 0, to = Number.MAX_SAFE_INTEGER) {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= from && number <= to) return number
  const range = to < Number.MAX_SAFE_INTEGER ? `from ${from} to ${to}` : `from ${from}`
  throw new Failure(`${name} must be a whole number ${range}, not "${value}".`)
}
