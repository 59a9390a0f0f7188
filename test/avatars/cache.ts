/** A stand-in of Cloudflare's cache, which the local runtime does not have. */
import { setCache } from '../../src/avatars/remove.ts'

type Result = { success: boolean; errors: { code: number; message: string }[] }

/** Runs a function, and returns the paths that it has purged. */
export async function purgedBy(
  run: () => Promise<unknown>,
  result: Result | Error = { success: true, errors: [] },
): Promise<string[]> {
  const purged: string[] = []
  const purge = async ({ pathPrefixes = [] }: { pathPrefixes?: string[] }) => {
    purged.push(...pathPrefixes)
    if (result instanceof Error) throw result
    return result
  }
  setCache({ purge })
  try {
    await run()
  } finally {
    setCache(undefined)
  }
  return purged
}
