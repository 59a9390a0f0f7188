/** Calls commands in this process, which takes no time to start. */
import { vi } from 'vitest'
import { withEnvironment } from './environment.ts'

type Command = (args: readonly string[]) => Promise<number>
type Result = { out: string; errors: string; status: number }

/** Calls a command with arguments and variables. Returns what it has printed, and its status. */
export async function call(
  command: Command,
  args: readonly string[] = [],
  variables: Record<string, string> = {},
): Promise<Result> {
  const printed = { log: '', error: '' }
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text) => {
      printed[name] += `${text}\n`
    }),
  )
  try {
    const status = await withEnvironment(variables, () => command(args))
    return { out: printed.log, errors: printed.error, status }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
