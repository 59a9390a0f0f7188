/** Runs commands, and prints help and errors. */
import { ApiError, TimeoutError, UnexpectedResponseError } from '../errors.ts'
import { type Command, CommandError, UsageError } from './command.ts'
import { formatCommandHelp, formatHelp } from './help.ts'

const FAILED = 1
const WRONG_USAGE = 2

/** Runs the command that the first argument names. Returns the exit status. */
export async function runCommand(
  commands: readonly Command[],
  [name, ...args]: readonly string[],
): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(formatHelp(commands))
    return name === undefined ? WRONG_USAGE : 0
  }
  const command = commands.find((known) => known.name === name)
  if (command) return runAs(`marketplace ${name}`, command, args)
  console.error(`There is no command "${name}". \`marketplace --help\` lists them.`)
  return WRONG_USAGE
}

/** Runs a command. `typed` is what stands before its arguments. Returns the exit status. */
export async function runAs(
  typed: string,
  command: Command,
  args: readonly string[],
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(formatCommandHelp(typed, command))
    return 0
  }
  try {
    return await command.run(args)
  } catch (error) {
    console.error(describeError(error))
    if (!(error instanceof UsageError)) return FAILED
    console.error(`\`${typed} --help\` lists the options.`)
    return WRONG_USAGE
  }
}

function describeError(error: unknown): unknown {
  if (error instanceof UsageError || error instanceof CommandError) return error.message
  if (error instanceof ApiError)
    return `The instance answered: ${error.message} (${error.code}, request ${error.requestId})`
  if (error instanceof TimeoutError || error instanceof UnexpectedResponseError)
    return error.message
  // What `fetch` throws if there is no connection.
  if (error instanceof TypeError && error.cause instanceof Error)
    return `The instance cannot be reached: ${error.message}. Give --url, the URL of your instance.`
  return error
}
