/** What a command is, and the texts for its users that follow from it. */

type Option = {
  help: string
  /** What stands for the value in the help. An option without it is a switch. */
  value?: string
  default?: string
  required?: true
}

export type Options = Record<string, Option>

export type Command<O extends Options = Options, A extends string = string> = {
  /** What a user types, as in `npm run token`. */
  name: string
  /** What the command does, in one or two sentences. */
  purpose: string
  /** What the first argument may be, with a description of each. */
  actions?: Record<A, string>
  /** The file that the first argument names; '' if it is left out. A command has actions or a file. */
  file?: { value: string; help: string; isOptional?: true }
  options?: O
  /** Environment variables with their descriptions. */
  variables?: Record<string, string>
  example: string
}

export function formatHelp(command: Command): string {
  const { purpose, actions, file, options = {}, variables, example } = command
  const optionRows = [
    ...Object.entries(options).map(([name, option]) => [
      formatLabel(name, option),
      describe(option),
    ]),
    ['-h, --help', 'Print this text.'],
  ]
  return [
    purpose,
    formatUsage(command),
    ...(file ? [`file:\n${table([[file.value, file.help]])}`] : []),
    ...(actions ? [`actions:\n${table(Object.entries(actions))}`] : []),
    `options:\n${table(optionRows)}`,
    ...(variables ? [`environment variables:\n${table(Object.entries(variables))}`] : []),
    `example:\n  ${example}`,
  ].join('\n\n')
}

export function formatUsage({ name, actions, file, options = {} }: Command): string {
  const parts = [
    ...(actions ? [Object.keys(actions).join('|')] : []),
    ...(file ? [file.isOptional ? `[${file.value}]` : file.value] : []),
    ...Object.entries(options).map(([option, settings]) =>
      settings.required ? formatLabel(option, settings) : `[${formatLabel(option, settings)}]`,
    ),
  ]
  // npm takes options that are not behind `--` for its own.
  const separator = name.startsWith('npm ') && parts.length > 0 ? ['--'] : []
  return `usage: ${[name, ...separator, ...parts].join(' ')}`
}

const formatLabel = (name: string, { value }: Option) => `--${name}${value ? ` ${value}` : ''}`

const describe = ({ help, default: initial }: Option) =>
  initial === undefined ? help : `${help} Default: ${initial}`

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([label = '']) => label.length))
  return rows.map(([label = '', text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')
}
