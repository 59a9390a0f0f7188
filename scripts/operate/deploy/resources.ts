/** Whether the Cloudflare account has what an environment needs. */
import { readFile } from 'node:fs/promises'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import {
  listDatabases,
  listPendingMigrations,
  readConsumers,
  readLifecycle,
  readLogin,
  readSecretNames,
} from '../cloudflare/account.ts'
import type { Environment } from '../cloudflare/environment.ts'
import { findBreakingStatements } from './migrations.ts'

/** Returns sentences about what is missing. */
export async function findAccountProblems(environment: Environment): Promise<string[]> {
  const unread = environment.queues
    .filter((queue) => !environment.consumed.includes(queue))
    .map(
      (queue) => `Nothing reads the queue ${queue}. Add it to queues.consumers in wrangler.toml.`,
    )
  const login = await readLogin(environment.accountId).catch(returnCommandError)
  if (login instanceof CommandError) return [...unread, login.message]
  const secrets = await readSecretNames(environment.name)
  return [
    ...unread,
    ...(await findDatabaseProblems(environment, secrets !== undefined)),
    ...(await findBucketProblems(environment)),
    ...(await findQueueProblems(environment)),
    ...findSecretProblems(environment, secrets),
  ]
}

const create = ({ name }: Environment) => `Create it: npm run setup -- --env ${name}`

async function findDatabaseProblems(
  environment: Environment,
  isDeployed: boolean,
): Promise<string[]> {
  const { name, id } = environment.database
  if (!(await listDatabases()).has(id))
    return [`The account has no database ${name} with the id "${id}". ${create(environment)}`]
  if (!isDeployed) return []
  const problems: string[] = []
  for (const migration of await listPendingMigrations(environment.name))
    for (const { line, text } of findBreakingStatements(
      await readFile(`migrations/${migration}`, 'utf8'),
    ))
      problems.push(
        `migrations/${migration}:${line} takes away what the running Worker may use: ${text}`,
      )
  return problems
}

async function findBucketProblems(environment: Environment): Promise<string[]> {
  const problems: string[] = []
  for (const bucket of environment.buckets)
    if ((await readLifecycle(bucket)) === undefined)
      problems.push(`The account has no bucket ${bucket.name}. ${create(environment)}`)
  return problems
}

async function findQueueProblems(environment: Environment): Promise<string[]> {
  const problems: string[] = []
  for (const queue of new Set([...environment.queues, ...environment.consumed])) {
    const consumers = await readConsumers(queue)
    if (!consumers) problems.push(`The account has no queue ${queue}. ${create(environment)}`)
    for (const other of consumers ?? [])
      if (other !== environment.worker)
        problems.push(
          `The Worker ${other} reads the queue ${queue}, and a queue has one reader. Remove that one: npx wrangler queues consumer remove ${queue} ${other}`,
        )
  }
  return problems
}

/** `existing` is undefined if the Worker does not exist. */
function findSecretProblems(
  { name, worker, secrets }: Environment,
  existing: string[] | undefined,
): string[] {
  if (!existing)
    return [
      `The Worker ${worker} does not exist yet. Deploy it with its secrets: npm run setup -- --env ${name}`,
    ]
  return secrets
    .filter((secret) => !existing.includes(secret))
    .map(
      (secret) =>
        `The Worker ${worker} has no secret ${secret}. Set it: npx wrangler secret put ${secret} --env ${name}`,
    )
}
