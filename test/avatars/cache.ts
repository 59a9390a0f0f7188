import { vi } from 'vitest'
import { CachedReads } from '../../src/worker.ts'

type Result = { success: boolean; errors: { code: number; message: string }[] }

/** Runs a function, and returns the paths that it has purged at the entrypoint with the cache. */
export async function purgedBy(
  run: () => Promise<unknown>,
  result: Result | Error = { success: true, errors: [] },
): Promise<string[]> {
  const purge = vi.spyOn(CachedReads.prototype, 'purge').mockImplementation(async () => {
    if (result instanceof Error) throw result
    return result
  })
  await run()
  const purged = purge.mock.calls.flatMap(([{ pathPrefixes = [] }]) => pathPrefixes)
  purge.mockRestore()
  return purged
}
