import { expect, it } from 'vitest'
import { defineCommand, UsageError } from '../../../scripts/shell/command.ts'
import { call } from '../../support/call.ts'

const command = defineCommand(
  {
    name: 'npm run paint',
    purpose: 'Paints.',
    options: { coats: { value: 'N', default: '1', help: 'How many.' } },
    example: 'npm run paint',
  },
  ({ coats }) => {
    if (coats === '0') throw new UsageError('There is nothing to paint.')
    if (coats === '9') throw new Error('dry', { cause: new UsageError('There is no paint.') })
    console.log(`${coats} coats`)
  },
)

it.each([
  ['--coats 0', 'There is nothing to paint.'],
  ['--coats 9', 'There is no paint.'],
  ['--coats -3', '--coats needs a value. If it begins with a dash: --coats=-1.'],
  ['--coats', "Option '--coats <value>' argument missing."],
  ['--coats ', '--coats is empty.'],
  ['--coats 1 --coats 2', '--coats is given twice.'],
  ['--colour red', "Unknown option '--colour'."],
  ['red', "Unexpected argument 'red'. This command does not take positional arguments."],
])('prints in one sentence what is wrong with %s, and the usage', async (args, sentence) => {
  expect(await call(command, args.split(' '))).toEqual({
    out: '',
    errors: `${sentence}\nusage: npm run paint -- [--coats N]\n`,
    status: 1,
  })
})
