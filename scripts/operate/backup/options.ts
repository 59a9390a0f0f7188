/** Which database a backup is of, or goes to. */
import { UsageError } from '../../shell/command.ts'
import { instanceOptions } from '../../shell/instance.ts'

export const backupOptions = (help: string) =>
  ({ bucket: { value: 'NAME', help }, ...instanceOptions }) as const

/** Returns the options of wrangler. */
export function findDatabase({ remote, env }: { remote: boolean; env?: string | undefined }) {
  if (remote !== Boolean(env)) throw new UsageError('--remote and --env need each other.')
  return env ? ['--remote', '--env', env] : ['--local']
}
