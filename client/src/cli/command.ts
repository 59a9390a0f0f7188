/** What a command is, and how its arguments are parsed. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'

export type Option = ParseArgsOptionDescriptor & {
  /** One sentence. */
  help: string
  /** What stands for the value in the help, such as `URL`. */
  value?: string
  required?: true
}

export type Options = Record<string, Option>

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values']

type Values<O extends Options> = Parsed<O> & {
  [Name in keyof O as O[Name] extends { required: true } ? Name : never]: string
}

export type Command = {
  /** What a user types: behind `marketplace`, or alone if the package has one command. */
  name: string
  /** What the command does, in one sentence. */
  summary: string
  /** What the argument is, such as `FILE`. Without it, the command takes none. */
  argument?: string
  options: Options
  /** Takes the arguments behind the name, and returns the exit status. */
  run: (args: readonly string[]) => Promise<number>
}

/** The command line is wrong. The message is a sentence that says what is. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws a `UsageError` unless the value of an option is an http or https URL. */
export function requireUrl(option: string, value: string): void {
  if (!/^https?:/.test(URL.canParse(value) ? value : ''))
    throw new UsageError(`${option} must be an http or https URL, not "${value}".`)
}

/** The command cannot do its work. The message is a sentence that says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

type Definition<O extends Options> = Omit<Command, 'options' | 'run'> & {
  options: O
  /** Gets the options and the argument ('' without one). Returns the exit status. */
  run: (values: Values<O>, argument: string) => Promise<number>
}

/**
 * Declares a command.
 *
 * @example
 * export const command = defineCommand({
 *   name: 'listen',
 *   summary: 'Forwards events to a receiver.',
 *   options: {
 *     ...instanceOptions,
 *     'forward-to': { type: 'string', value: 'URL', required: true, help: 'The receiver.' },
 *   },
 *   run: async ({ url, token, 'forward-to': receiver }) => { …; return 0 },
 * })
 */
export function defineCommand<const O extends Options>(definition: Definition<O>): Command {
  const { run, ...command } = definition
  return {
    ...command,
    run: async (args) => {
      const { values, positionals } = parse(args, command)
      for (const [name, { required }] of Object.entries<Option>(command.options))
        if (required && !(name in values)) throw new UsageError(`--${name} is missing.`)
      if (command.argument && positionals.length !== 1)
        throw new UsageError(`Name one ${command.argument}.`)
      return run(values as Values<O>, positionals[0] ?? '')
    },
  }
}

function parse<O extends Options>(
  args: readonly string[],
  { options, argument }: { options: O; argument?: string },
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: argument !== undefined })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const [, name] = /'(--\S+)' argument is ambiguous/.exec(reason) ?? []
    if (name) throw new UsageError(`${name} needs a value. If it begins with a dash: ${name}=-1.`)
    // Node adds how to pass an argument that begins with a dash.
    throw new UsageError(`${reason.replace(/\. To specify a positional.*/s, '')}.`)
  }
}
