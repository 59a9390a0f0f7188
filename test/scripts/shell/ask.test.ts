import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ask } from '../../../scripts/shell/ask.ts'

/** Asks a person who types this. */
function answerOf(typed: string): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answer = ask('Type 3: ', { input, output })
  input.write(typed)
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
