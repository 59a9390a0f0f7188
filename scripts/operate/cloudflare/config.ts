/** The configuration of wrangler.toml. */
import { unstable_readConfig } from 'wrangler'
import { CommandError } from '../../shell/command.ts'

/** Returns that of an environment, or of the local instance. Throws a `CommandError`. */
export function readConfig(environment: string | undefined) {
  try {
    const args = environment === undefined ? {} : { env: environment }
    return unstable_readConfig(args, { hideWarnings: true })
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}
