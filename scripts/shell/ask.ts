/** Asks the person at the terminal. */
import { createInterface } from 'node:readline'

type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }

/** Returns the answer, or `''` after Ctrl-C or Ctrl-D. */
export async function ask(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stdout },
): Promise<string> {
  using lines = createInterface({ input, output, terminal: true, prompt: question })
  lines.prompt()
  for await (const answer of lines) return answer.trim()
  return ''
}

/** Asks a question that only a clear yes answers. */
export const confirm = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await ask(`${question} [y/N] `))
