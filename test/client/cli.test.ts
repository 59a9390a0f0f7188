/** The command line of the package: its help, and what it says about wrong arguments. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CommandError, defineCommand } from '../../client/src/cli/command.ts'
import { instanceOptions, openInstance } from '../../client/src/cli/instance.ts'
import { runCommand } from '../../client/src/cli/run.ts'

const greet = defineCommand({
  name: 'greet',
  summary: 'Greets a buyer.',
  argument: 'NAME',
  options: {
    ...instanceOptions,
    with: { type: 'string', value: 'WORD', required: true, help: 'The greeting.' },
    loudly: { type: 'boolean', help: 'In capitals.' },
  },
  run: async ({ with: word, loudly, ...instance }, name) => {
    if (name === 'nobody') throw new CommandError('There is nobody.')
    if (name === 'server') await openInstance(instance).getStats()
    console.log(loudly ? `${word} ${name}`.toUpperCase() : `${word} ${name}`)
    return 0
  },
})

let output = ''
let errors = ''

beforeEach(() => {
  output = ''
  errors = ''
  vi.spyOn(console, 'log').mockImplementation((text) => {
    output += `${text}\n`
  })
  vi.spyOn(console, 'error').mockImplementation((text) => {
    errors += `${text}\n`
  })
})
afterEach(() => vi.restoreAllMocks())

const run = (...args: string[]) => runCommand([greet], args)

it('lists the commands', async () => {
  expect(await run('--help')).toBe(0)
  expect(output).toContain('usage: marketplace <command> [options]')
  expect(output).toContain('\n  greet  Greets a buyer.\n')
})

it('prints the help and fails without a command', async () => {
  expect(await run()).toBe(2)
  expect(output).toContain('usage: marketplace <command> [options]')
})

it('lists the options of a command', async () => {
  expect(await run('greet', '--help')).toBe(0)
  expect(output).toBe(`Greets a buyer.

usage: marketplace greet NAME [options]

options:
  --url URL      The instance. Default: http://localhost:8787
  --token TOKEN  A token of the instance. Default: the environment variable TOKEN
  --with WORD    The greeting. Required.
  --loudly       In capitals.
  -h, --help     Prints this text.
`)
})

it('gives a command its options and its argument', async () => {
  expect(await run('greet', 'Bo', '--with', 'Hello', '--loudly')).toBe(0)
  expect(output).toBe('HELLO BO\n')
})

it.each([
  ['an unknown command', ['meet'], 'There is no command "meet". `marketplace --help` lists them.'],
  ['an unknown option', ['greet', 'Bo', '--softly'], "Unknown option '--softly'."],
  [
    'an option without its value',
    ['greet', 'Bo', '--with'],
    "Option '--with <value>' argument missing.",
  ],
  ['a missing option', ['greet', 'Bo'], '--with is missing.'],
  ['a missing argument', ['greet', '--with', 'Hello'], 'Name one NAME.'],
  ['two arguments', ['greet', 'Bo', 'Al', '--with', 'Hello'], 'Name one NAME.'],
  [
    'a wrong URL',
    ['greet', 'server', '--with', 'Hello', '--url', 'localhost:8787', '--token', 'secret'],
    '--url must be an http or https URL, not "localhost:8787".',
  ],
])('answers %s with a sentence and status 2', async (_, args, sentence) => {
  expect(await run(...args)).toBe(2)
  expect(errors.split('\n')[0]).toBe(sentence)
})

it('asks for the URL of the instance if there is none', async () => {
  const url = 'http://127.0.0.1:1'
  const args = ['greet', 'server', '--with', 'Hello', '--url', url, '--token', 'secret']
  expect(await run(...args)).toBe(1)
  expect(errors).toBe(
    'The instance cannot be reached: there is no answer from http://127.0.0.1:1: bad port. ' +
      'Give --url, the URL of your instance.\n',
  )
})

it('fails with the sentence of a command', async () => {
  expect(await run('greet', 'nobody', '--with', 'Hello')).toBe(1)
  expect(errors).toBe('There is nobody.\n')
})
