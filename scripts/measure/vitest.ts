import type { Reporter } from 'vitest/node'

/**
 * Runs a test of the project `workers`, then prints the lines that it logged with this prefix. Sets
 * the exit code to 1 if the test fails. `vitest.config.ts` reads the options from the environment.
 */
export async function runTest(path: string, prefix: string, options: Record<string, number>) {
  for (const [name, value] of Object.entries(options)) process.env[name] = String(value)
  const lines: string[] = []
  const collector: Reporter = {
    onUserConsoleLog: ({ content }) => {
      lines.push(...content.split('\n').filter((line) => line.startsWith(prefix)))
    },
  }
  const { startVitest } = await import('vitest/node')
  const vitest = await startVitest('test', [path], {
    watch: false,
    // So that it finds tests that `npm test` leaves out.
    mode: path.endsWith('.long.test.ts') ? 'long' : 'test',
    project: ['workers'],
    reporters: ['default', collector],
  })
  await vitest.close()
  for (const line of lines) console.log(line)
}
