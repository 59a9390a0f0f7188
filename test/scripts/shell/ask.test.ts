import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ask } from '../../../scripts/shell/ask.ts'

/** Asks a person who types this. Nothing may be read any more then, or the command would not end. */
async function answerOf(typed: string): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answer = ask('Type 3: ', { input, output })
  input.write(typed)
  await answer
  expect(input.isPaused()).toBe(true)
  return answer
}

it('returns what is typed', async () => {
  expect(await answerOf(' 3 \r')).toBe('3')
})

it.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('returns nothing after %s', async (_, key) => {
  expect(await answerOf(key)).toBe('')
})
