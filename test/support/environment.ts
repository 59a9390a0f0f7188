/** The environment of the tests, and of every command that they start or call. */
import { resolve } from 'node:path'

/** Variables of the caller that a command keeps. */
const INHERITED: readonly string[] = ['PATH', 'HOME', 'TMPDIR', 'NODE_EXTRA_CA_CERTS']

/** Variables that tests keep beside them: their own settings, and what Vitest sets. */
const OF_TESTS: readonly string[] = ['CHROMIUM', 'SCREENSHOTS', 'TEST', 'VITEST']

/** Wrangler asks Cloudflare for nothing, and tells it nothing. Node compiles each file once. */
const COMMON = {
  ...{ CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/node'),
}

/** Returns the variables of this process that have one of the names. */
function pick(names: readonly string[]): NodeJS.ProcessEnv {
  const variables = { ...process.env }
  for (const name of Object.keys(variables)) if (!names.includes(name)) delete variables[name]
  return variables
}

/** Returns the environment of a command: what it keeps of the caller's, and `variables`. */
export const environment = (variables: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  ...pick(INHERITED),
  ...COMMON,
  ...variables,
})

/**
 * Removes from this process what the shell of the caller has set, such as the ports of its
 * `npm run dev`. `vitest.config.ts` calls it, so the processes of all tests inherit the rest only.
 */
export function isolateEnvironment(): void {
  const kept = { ...pick([...INHERITED, ...OF_TESTS]), ...COMMON, NODE_ENV: 'test' }
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, kept)
}

/** Calls a function while the environment of this process is that of a command. */
export async function withEnvironment<T>(
  variables: Record<string, string>,
  action: () => Promise<T>,
): Promise<T> {
  const before = process.env
  process.env = environment(variables)
  try {
    return await action()
  } finally {
    process.env = before
  }
}
