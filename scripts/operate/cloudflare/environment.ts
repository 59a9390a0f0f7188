/** What an environment of wrangler.toml needs from the Cloudflare account. */
import { unstable_readConfig } from 'wrangler'
import { CommandError } from '../../shell/command.ts'

export type Bucket = {
  /** What the Worker calls it. */
  binding: string
  name: string
  /** Where its data must stay. A bucket of the same name may exist in each jurisdiction. */
  jurisdiction: string | undefined
}

export type Environment = ReturnType<typeof readEnvironment>

/** Returns the settings of an environment, or those of the local instance. Throws a `CommandError`. */
export function readConfig(environment: string | undefined) {
  try {
    const args = environment === undefined ? {} : { env: environment }
    return unstable_readConfig(args, { hideWarnings: true })
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}

/** Throws a `CommandError` if wrangler.toml does not have the environment, or no database in it. */
export function readEnvironment(name: string) {
  const config = readConfig(name)
  const [database] = config.d1_databases
  if (!database?.database_name || !config.name)
    throw new CommandError(`wrangler.toml has no name or no database for the environment ${name}.`)
  const { PUBLIC_URL, EMAIL_FROM, NETWORKS } = config.vars
  const buckets = bucketsIn(config.r2_buckets)
  return {
    /** As in `--env`. */
    name,
    worker: config.name,
    database: { name: database.database_name, id: database.database_id ?? '' },
    buckets,
    /** Where its data must stay, as one of the buckets says it. */
    jurisdiction: buckets.find(({ jurisdiction }) => jurisdiction)?.jurisdiction,
    /** Queues that the Worker sends to. */
    queues: namesIn(config.queues.producers, 'queue'),
    /** Queues that the Worker reads. */
    consumed: namesIn(config.queues.consumers, 'queue'),
    /** The names of the secrets. NETWORKS is one if it is no variable. */
    secrets: [...(config.secrets?.required ?? []), ...(NETWORKS === undefined ? ['NETWORKS'] : [])],
    publicUrl: String(PUBLIC_URL),
    emailFrom: String(EMAIL_FROM),
    /** The names of its variables. */
    variables: Object.keys(config.vars),
    accountId: config.account_id,
  }
}

const bucketsIn = (bindings: Record<string, string>[] | undefined): Bucket[] =>
  (bindings ?? []).flatMap(({ binding = '', bucket_name: name, jurisdiction }) =>
    name ? { binding, name, jurisdiction } : [],
  )

/** The bindings have the type `any`. */
const namesIn = (bindings: Record<string, string>[] | undefined, key: string): string[] =>
  (bindings ?? []).flatMap((binding) => binding[key] ?? [])
