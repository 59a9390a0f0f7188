/** Asks the person at the terminal. */
import { createInterface } from 'node:readline'

type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }

/** Returns the answer, or `''` after Ctrl-C or Ctrl-D. */
export function ask(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stdout },
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const lines = createInterface({ input, output, terminal: true })
  lines.once('close', () => resolve(''))
  lines.question(question, (answer) => {
    resolve(answer.trim())
    lines.close()
  })
  return promise
}
