/** Options and error output of all commands. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** An error that the user of a command can fix. It is printed without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Runs a command. An error is printed and ends the process with status 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(findCommandError(error)?.message ?? error)
    process.exit(1)
  }
}

/** Searches the causes too, because database drivers wrap the errors of their callbacks. */
function findCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  return error instanceof Error ? findCommandError(error.cause) : undefined
}

type Options = NonNullable<ParseArgsConfig['options']>

/** Parses the options after `--`. Throws a `CommandError` that contains the usage. */
export function parseOptions<T extends Options>(
  options: T,
  usage: string,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${reason}\n${usage}`)
  }
}

/** Parses the value of an option or variable. Throws a `CommandError` that names it. */
export function parseInteger(name: string, value: string, min = 0, max = Number.MAX_SAFE_INTEGER) {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `from ${min}`
  throw new CommandError(`${name} must be a whole number ${range}, not "${value}".`)
}
