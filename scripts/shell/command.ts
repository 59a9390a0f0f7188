/** Options, help and error output of all commands. */
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { type Command, formatHelp, formatUsage, type Options } from './help.ts'

/** An error that the user of a command can fix. It is printed without a stack trace. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** Arguments that a command does not take. The error is printed with the usage. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
}

/** Options that take a value, and those of them that always have one. */
type Valued<O extends Options> = {
  [N in keyof O]: O[N] extends { value: string } ? N : never
}[keyof O]
type Given<O extends Options> = {
  [N in keyof O]: O[N] extends { required: true } | { default: string } ? N : never
}[keyof O]

type Values<O extends Options> = Record<Given<O>, string> &
  Partial<Record<Exclude<Valued<O>, Given<O>>, string>> &
  Record<Exclude<keyof O, Valued<O>>, boolean>

/** The signals of Ctrl-C, of a supervisor that stops the command, and of a terminal that is closed. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Takes the arguments of the command line, and returns the exit status. */
type RunnableCommand = (args: readonly string[]) => Promise<number>

/**
 * Returns a function that runs `main` with the options and the action or the file that its arguments
 * name, and prints errors. With `--help` or `-h`, it prints the help instead.
 *
 * The file of a command has what its help and its options need, and no package. `main` imports what
 * does the work, so that the help and a mistake in the options are answered at once.
 *
 * @example
 * export const command = defineCommand({ name: 'npm run forget', … }, async ({ user }) => {
 *   const { forgetPerson } = await import('./forget/person.ts')
 *   await forgetPerson(parseInteger('--user', user))
 * })
 * if (import.meta.main) await start(command)
 */
export function defineCommand<O extends Options, A extends string = never>(
  command: Command<O, A>,
  main: (options: Values<O>, argument: A) => Promise<void> | void,
): RunnableCommand {
  return async (args) => {
    try {
      if (args.includes('--help') || args.includes('-h')) {
        console.log(formatHelp(command))
        return 0
      }
      const { values, positionals } = parse([...args], command)
      const argument = parseArgument(command, positionals)
      await main(requireOptions(command, values), argument)
      return 0
    } catch (error) {
      const known = findCommandError(error)
      console.error(known?.message ?? error)
      if (known instanceof UsageError) console.error(formatUsage(command))
      return 1
    }
  }
}

/**
 * Runs a command with the arguments of this process. Ends the process if it fails, and at once on a
 * signal: the local database ends too, and the error of that helps nobody. What removes temporary files
 * runs then (`files.ts`). The status is that which shells report for the signal.
 */
export async function start(command: RunnableCommand): Promise<void> {
  for (const signal of ENDING)
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  const status = await command(process.argv.slice(2))
  if (status !== 0) process.exit(status)
}

function parse(args: string[], command: Command) {
  const { tokens, ...parsed } = parseTokens(args, command)
  const given = tokens.filter((token) => token.kind === 'option')
  const names = given.map(({ name }) => name)
  for (const [i, { name, value }] of given.entries()) {
    if (names.indexOf(name) < i) throw new UsageError(`--${name} is given twice.`)
    // Usually a variable of the shell that is not set.
    if (value?.trim() === '') throw new UsageError(`--${name} is empty.`)
  }
  return parsed
}

function parseTokens(args: string[], { options = {}, actions, file }: Command) {
  const config = Object.entries(options).map(([name, { value, default: initial }]) => [
    name,
    value ? { type: 'string', default: initial } : { type: 'boolean', default: false },
  ])
  try {
    return parseArgs({
      args,
      options: Object.fromEntries(config),
      allowPositionals: Boolean(actions || file),
      tokens: true,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const [, name] = /'(--\S+)' argument is ambiguous/.exec(reason) ?? []
    if (name) throw new UsageError(`${name} needs a value. If it begins with a dash: ${name}=-1.`)
    // Node adds how to pass an argument that begins with a dash.
    throw new UsageError(`${reason.replace(/\. To specify a positional.*/s, '')}.`)
  }
}

function parseArgument<A extends string>(
  { actions, file }: Command<Options, A>,
  [argument, ...rest]: string[],
): A {
  if (actions && !(argument && Object.hasOwn(actions, argument) && rest.length === 0))
    throw new UsageError(`Name one of ${Object.keys(actions).join(', ')}.`)
  if (file && (rest.length > 0 || argument === '' || (!argument && !file.isOptional)))
    throw new UsageError(`Name one file: ${file.value}.`)
  return (argument ?? '') as A
}

function requireOptions<O extends Options>({ options }: Command<O>, values: object): Values<O> {
  for (const [name, { required }] of Object.entries(options ?? {}))
    if (required && !(name in values)) throw new UsageError(`--${name} is missing.`)
  return values as Values<O>
}

/** For `catch`: returns an error that the user of the command can fix, and throws others. */
export function returnCommandError(error: unknown): CommandError {
  const found = findCommandError(error)
  if (found) return found
  throw error
}

/** Searches the causes too, because database drivers wrap the errors of their callbacks. */
function findCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  return error instanceof Error ? findCommandError(error.cause) : undefined
}

/** Parses the value of an option or variable. Throws a `CommandError` that names it. */
export function parseInteger(name: string, value: string, min = 0, max = Number.MAX_SAFE_INTEGER) {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `from ${min}`
  throw new CommandError(`${name} must be a whole number ${range}, not "${value}".`)
}

/** Parses the value of an option. Throws a `CommandError` that names it. */
export function parseUrl(name: string, value: string): string {
  if (/^https?:/.test(URL.parse(value)?.protocol ?? '')) return value
  throw new CommandError(`${name} must be an http or https URL, not "${value}".`)
}
