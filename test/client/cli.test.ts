/** The command line of the package: its help, and what it says about wrong arguments. */
import { expect, it } from 'vitest'
import { defineCommand } from '../../client/src/cli/command.ts'
import { instanceOptions, openInstance } from '../../client/src/cli/instance.ts'
import { command as listen } from '../../client/src/cli/listen.ts'
import { runCommand } from '../../client/src/cli/run.ts'
import { call } from '../support/call.ts'

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
    if (name === 'server') await openInstance(instance).getStats()
    console.log(loudly ? `${word} ${name}`.toUpperCase() : `${word} ${name}`)
    return 0
  },
})

const run = (...args: string[]) => call((given) => runCommand([greet, listen], given), args)

it('lists the commands', async () => {
  const { out, status } = await run('--help')
  expect(status).toBe(0)
  expect(out).toContain('usage: marketplace <command> [options]')
  expect(out).toContain('\n  greet   Greets a buyer.\n')
})

it('lists the options of a command', async () => {
  const { out, status } = await run('greet', '--help')
  expect(status).toBe(0)
  expect(out).toBe(`Greets a buyer.

usage: marketplace greet NAME [options]

options:
  --url URL      The instance. Default: http://localhost:8787
  --token TOKEN  A token of the instance. Default: the environment variable TOKEN
  --with WORD    The greeting. Required.
  --loudly       In capitals.
  -h, --help     Prints this text.
`)
})

it.each([
  ['an unknown command', ['meet'], 'There is no command "meet". `marketplace --help` lists them.'],
  ['a missing option', ['greet', 'Bo'], '--with is missing.'],
  ['a missing argument', ['greet', '--with', 'Hello'], 'Name one NAME.'],
  [
    'a wrong URL',
    ['greet', 'server', '--with', 'Hello', '--url', 'localhost:8787', '--token', 'secret'],
    '--url must be an http or https URL, not "localhost:8787".',
  ],
  [
    'a token with a line end',
    ['greet', 'server', '--with', 'Hello', '--token', '> token\nsecret'],
    'The token has a blank or a line end. `npm run --silent token` prints it alone.',
  ],
  [
    'a receiver with a password',
    ['listen', '--token', 'secret', '--forward-to', 'https://bo:secret@localhost'],
    '--forward-to must be an http or https URL, such as localhost:3000/webhooks.',
  ],
  [
    'a secret without bytes',
    ['listen', '--token', 'secret', '--forward-to', 'localhost:1', '--secret', 'whsec_='],
    '--secret must be as in whsec_….',
  ],
  [
    'a time without a meaning',
    ['listen', '--token', 'secret', '--forward-to', 'localhost:1', '--since', 'noon'],
    '--since must be a time, such as 2026-03-02T09:00:00Z.',
  ],
])('answers %s with a sentence and status 2', async (_, args, sentence) => {
  const { errors, status } = await run(...args)
  expect(status).toBe(2)
  expect(errors.split('\n')[0]).toBe(sentence)
})
