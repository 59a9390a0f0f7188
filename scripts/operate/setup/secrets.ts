/** The secrets of an environment, in a file until they are uploaded with the code. */
import { existsSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { instance } from '../../../src/db/schema/delivery.ts'
import { hashKeySecret } from '../../../src/delivery/key.ts'
import { issuerSchema, settingsSchema } from '../../../src/env.ts'
import { CommandError } from '../../shell/command.ts'
import { writeLines } from '../../shell/files.ts'
import { readSecretNames } from '../cloudflare/account.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import { readSigners } from '../deploy/checks.ts'
import { generators } from '../keys/generate.ts'
import { report, type Setup } from './report.ts'
import { createStandby } from './standby.ts'

const secretsSchema = z.record(z.string(), z.string())

type Secrets = z.infer<typeof secretsSchema>

/** Git ignores these files. */
export const secretsFile = (environment: string) => `secrets.${environment}.json`

/** Returns the secrets in the file; none if there is no file. Throws a `CommandError`. */
export async function readSecrets(environment: string): Promise<Secrets> {
  const file = secretsFile(environment)
  if (!existsSync(file)) return {}
  try {
    await chmod(file, 0o600)
    return secretsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    throw new CommandError(`${file} is not a JSON object of texts. Restore it from your backup.`)
  }
}

/**
 * Makes the secrets that neither the Worker nor the file has, and writes them to the file. Returns those
 * of which this machine has the values, and whether the next deployment takes the file with it.
 */
export async function ensureSecrets(setup: Setup, isDatabaseKnown: boolean) {
  const { name, worker, secrets } = setup.environment
  const stored = await readSecrets(name)
  const existing = (setup.isLoggedIn && (await readSecretNames(name))) || []
  const missing = secrets.filter((secret) => !existing.includes(secret))
  if (Object.keys(stored).length > 0) setup.advise(backup(name))
  if (missing.length < secrets.length) {
    report('secrets', `${worker} has secrets: already there`)
    for (const secret of missing)
      setup.demand(`Set the secret: npx wrangler secret put ${secret} --env ${name}`)
    return { secrets: stored, isUploadNeeded: false }
  }
  if (isDatabaseKnown) await checkDeliverySecret(name, stored)
  const known = await addMissing(setup, stored)
  for (const problem of findInvalid(known)) setup.demand(`${secretsFile(name)}: ${problem}`)
  for (const signer of readSigners(name, known.TRANSFER_SIGNER_KEYS).signers)
    setup.advise(`Give the relayer ${signer} coins of each network: it pays for gas.`)
  return { secrets: known, isUploadNeeded: true }
}

/** Returns sentences about values that the Worker would not take. They have no value in them. */
function findInvalid({ JWT_KEYS, DELIVERY_KEY_SECRET, CODE_KEYS }: Secrets): string[] {
  const check = (value: string | undefined, schema: z.ZodType, sentence: string) =>
    value === undefined || schema.safeParse(value).success ? [] : [sentence]
  return [
    ...check(JWT_KEYS, issuerSchema.shape.JWT_KEYS, 'JWT_KEYS must be a set of signing keys.'),
    ...check(
      DELIVERY_KEY_SECRET,
      z.string().regex(/^[0-9a-f]{64}$/i),
      'DELIVERY_KEY_SECRET must be 64 hexadecimal digits.',
    ),
    ...check(CODE_KEYS, settingsSchema.shape.CODE_KEYS, 'CODE_KEYS must be a set of AES keys.'),
  ]
}

const backup = (environment: string) =>
  `Move ${secretsFile(environment)} to your password store once the Worker runs. Cloudflare does not give secrets back.`

async function addMissing(setup: Setup, stored: Secrets): Promise<Secrets> {
  const { environment, isDryRun, demand, advise } = setup
  const file = secretsFile(environment.name)
  const missing = environment.secrets.filter((name) => !stored[name])
  if (missing.length === 0) {
    report('secrets', `${file}: already there`)
    return stored
  }
  // Before they are written: a wrong value would stay in the file.
  const [problem] = readSigners(environment.name, process.env.TRANSFER_SIGNER_KEYS || '0x').problems
  if (process.env.TRANSFER_SIGNER_KEYS && problem) throw new CommandError(problem)
  if (isDryRun) {
    report('secrets', `${missing.join(', ')}: would be written to ${file}`)
    return stored
  }
  const secrets = { ...stored }
  for (const name of missing) {
    const value = process.env[name] || (await generate(name))
    if (value) secrets[name] = value
    else demand(`Add ${name} to ${file}: no command can make it.`)
  }
  advise(backup(environment.name))
  // Before the secrets: a setup that is killed here makes the rest in its next run.
  if (Object.keys(stored).length === 0) await createStandby(setup)
  await writeLines(file, [JSON.stringify(secrets, null, 2)])
  report('secrets', `${Object.keys(secrets).join(', ')}: written to ${file}`)
  return secrets
}

const generate = (name: string): Promise<string> | undefined =>
  Object.entries(generators).find(([known]) => known === name)?.[1]()

/** Throws a `CommandError` if delivery keys were made with another secret. */
async function checkDeliverySecret(
  environment: string,
  { DELIVERY_KEY_SECRET: secret }: Secrets,
): Promise<void> {
  const db = openRemoteDatabase(environment)
  const tables = await db.all(sql`SELECT name FROM sqlite_master WHERE name = 'instance'`)
  if (tables.length === 0) return
  const [row] = await db.select({ hash: instance.deliverySecretHash }).from(instance)
  if (row && !(secret && hashKeySecret(secret) === row.hash))
    throw new CommandError(
      `The database was used with another DELIVERY_KEY_SECRET. Put that one, from your backup, into ${secretsFile(environment)}: with a new one, orders that shops repeat could be delivered again.`,
    )
}
