/**
 * Takes the place of `scripts/shell/child.ts` in tests that call commands: the stand-in of wrangler answers
 * in this process, which takes no time to start.
 *
 * @example
 * vi.mock('../../scripts/shell/child.ts', () => import('../support/wrangler/child.ts'))
 */
import { Readable } from 'node:stream'
import { vi } from 'vitest'
import type * as Real from '../../../scripts/shell/child.ts'
import { answer } from './stand-in.ts'

const real = await vi.importActual<typeof Real>('../../../scripts/shell/child.ts')

export const { readOutput } = real

export const start: typeof real.start = (file, args, options) => {
  const [, script = '', ...command] = args
  if (!script.endsWith('wrangler/main.cjs')) return real.start(file, args, options)
  const answered = answer(command)
  async function* read(field: 'out' | 'errors') {
    yield (await answered)[field]
  }
  return {
    process: { stdout: Readable.from(read('out')), stderr: Readable.from(read('errors')) },
    ended: answered.then(({ code }) => code),
  } as unknown as ReturnType<typeof real.start>
}
