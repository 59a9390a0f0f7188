/** Imports a catalogue into a deployed instance, through its API. */
import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { ApiError, createClient, type Issue } from '../../client/src/index.ts'
import { delayAfter, isRetryable, wait } from '../../client/src/retry.ts'
import { MAX_IMPORT_LINES } from '../../src/catalogue/import.ts'
import { type Problem, parseLines } from '../../src/catalogue/line.ts'
import { readNetworks } from '../contract/networks.ts'
import { CommandError } from '../shell/command.ts'
import { described } from '../shell/instance.ts'
import type { Outcome, Request } from './import.ts'
import { hashFile, readChunks } from './lines.ts'
import { beside } from './report.ts'

export type Instance = {
  url: string
  token: string
  /** In wrangler.toml. */
  environment: string
}

/** Every call can be repeated, so each is sent until it succeeds. */
const ATTEMPTS = 8
const DELAY = 500

/**
 * Sends the lines to the API, which keeps them until the last one is there. An import that broke off
 * goes on where it stopped: its id is kept in a file beside the catalogue.
 */
export async function importRemotely(
  { file, isDryRun, show }: Request,
  { url, token, environment }: Instance,
): Promise<Outcome> {
  const problems = await checkLines(file, Object.keys(readNetworks(environment)))
  if (problems.length > 0) return { problems }

  const client = createClient({ url, token, retry: { attempts: 1 } })
  const stateFile = beside(file, 'import.json')
  const id = await readImportId(stateFile, url, await hashFile(file))
  let staged = 0
  try {
    for await (const { from, lines, progress, isLast } of readChunks(file)) {
      // The first answer tells how many lines the instance has from an earlier run.
      if (from > 1 && !isLast && from + lines.length - 1 <= staged) continue
      const answer = await repeat(() =>
        client.importCatalogue({
          import: id,
          line: from,
          commit: isLast ? 'true' : 'false',
          dryRun: isDryRun ? 'true' : 'false',
          body: new Blob(lines.map((line) => `${line}\n`)),
        }),
      )
      staged = answer.lines
      show(progress, 'sending')
      if (!answer.result) continue
      if (!isDryRun) await rm(stateFile)
      return { counts: answer.result }
    }
    return { counts: null }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') {
      await rm(stateFile)
      throw new CommandError(
        `An earlier run has committed this file. Run the command again to compare it with what is stored. (${error.message})`,
      )
    }
    if (!(error instanceof ApiError) || error.status !== 400)
      throw described(error, url, 'Run the command again to go on.')
    // What is staged does not fit to a file that is corrected.
    await rm(stateFile)
    return { problems: error.issues.map(toProblem) }
  }
}

async function checkLines(file: string, networks: readonly string[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for await (const { from, lines } of readChunks(file)) {
    if (from + lines.length - 1 > MAX_IMPORT_LINES)
      throw new CommandError(`${file} has more than ${MAX_IMPORT_LINES} lines. Split it.`)
    problems.push(...parseLines(lines, from, networks).problems)
  }
  return problems
}

/** Returns the id of an import of the same file that broke off, or a new one. */
async function readImportId(stateFile: string, url: string, hash: string): Promise<string> {
  const stored = await readFile(stateFile, 'utf8').catch(() => '{}')
  const state: { id?: string; url?: string; hash?: string } = JSON.parse(stored)
  if (state.id && state.url === url && state.hash === hash) return state.id
  const id = randomUUID()
  await writeFile(stateFile, JSON.stringify({ id, url, hash }))
  return id
}

/** A call has the same effect if it is sent twice. */
async function repeat<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error, true)) throw error
      await wait(delayAfter(attempt, error, DELAY))
    }
  }
}

/** The path of an issue is `lines[12].creator`, or `lines[12]`. */
function toProblem({ path, ...issue }: Issue): Problem {
  const [, line, field = ''] = /^lines\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  return { ...issue, line: Number(line ?? 0), path: field }
}
