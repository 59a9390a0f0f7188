/** The command line of `check-my-shop`: its help, and what it says about wrong arguments. */
import { expect, it } from 'vitest'
import { checkMyShop } from '../../check-my-shop/src/check-my-shop.ts'
import { scenarioNames } from '../../check-my-shop/src/scenarios.ts'
import { call } from '../support/call.ts'

const run = (...args: string[]) => call(checkMyShop, args)

it('lists its options', async () => {
  const { out, status } = await run('--help')
  expect(status).toBe(0)
  expect(out).toContain('\nusage: check-my-shop [options]\n')
  expect(out).toContain('\n  --listing ID ')
})

it.each([
  ['no program', ['--token', 'secret'], 'Name the program of the shop behind --, or give --shop.'],
  ['no token', ['--', 'shop'], 'A token is missing: --token, or the environment variable TOKEN.'],
  [
    'a secret for a program, which has options of its own',
    ['--token', 'secret', '--secret', 'whsec_c2VjcmV0', '--', 'shop', '--help'],
    '--secret is for --shop: a program gets a new one.',
  ],
  [
    'the port 70000',
    [
      ...['--token', 'secret', '--shop', 'http://localhost:1'],
      ...['--secret', 'whsec_c2VjcmV0', '--port', '70000'],
    ],
    '--port must be a number from 1 to 65535.',
  ],
  [
    'the node localhost',
    ['--token', 'secret', '--rpc', 'localhost', '--', 'shop'],
    '--rpc must be an http or https URL, not "localhost".',
  ],
  [
    'an unknown scenario',
    ['--token', 'secret', '--scenario', 'nothing', '--', 'shop'],
    `There is no scenario "nothing". There are: ${scenarioNames}.`,
  ],
])('answers %s with a sentence and status 2', async (_, args, sentence) => {
  const { errors, status } = await run(...args)
  expect(status).toBe(2)
  expect(errors).toBe(`${sentence}\n\`check-my-shop --help\` lists the options.\n`)
})
