/** The texts that `--help` prints. */
import type { Command, Option } from './command.ts'

const HELP = ['-h, --help', 'Prints this text.'] as const

export function formatHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary])
  return [
    'Commands for shops that sell through a Marketplace API.',
    'usage: marketplace <command> [options]',
    `commands:\n${table(rows)}`,
    `options:\n${table([['-h, --help', 'Prints this text; behind a command, its options.']])}`,
  ].join('\n\n')
}

export function formatCommandHelp(typed: string, { summary, argument, options }: Command): string {
  const rows = Object.entries(options).map(([option, settings]) => [
    `--${option}${settings.value ? ` ${settings.value}` : ''}`,
    describe(settings),
  ])
  const usage = [`usage: ${typed}`, ...(argument ? [argument] : []), '[options]']
  return [summary, usage.join(' '), `options:\n${table([...rows, HELP])}`].join('\n\n')
}

function describe({ help, default: initial, required }: Option): string {
  if (required) return `${help} Required.`
  return typeof initial === 'string' ? `${help} Default: ${initial}` : help
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map(([label = '']) => label.length))
  return rows.map(([label = '', text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')
}
