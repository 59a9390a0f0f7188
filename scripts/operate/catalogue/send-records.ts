/** Imports a catalogue into an instance, through its API. */
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import {
  ApiError,
  createClient,
  type Issue,
  type MarketplaceClient,
} from '../../../client/src/index.ts'
import { delayAfter, isRetryable, wait } from '../../../client/src/retry.ts'
import type { Counts } from '../../../src/catalogue/import.ts'
import { type LineProblem, parseLines } from '../../../src/catalogue/line.ts'
import type { RecordIds } from '../../../src/catalogue/numbers.ts'
import { catalogueTypes } from '../../../src/db/schema/catalogue.ts'
import type { ErrorCode } from '../../../src/http/errors.ts'
import { CommandError } from '../../shell/command.ts'
import { hashFile, writeLines } from '../../shell/files.ts'
import { described, type Instance } from '../../shell/instance.ts'
import { readChunks } from './lines.ts'
import { writeNumbers } from './numbers.ts'
import { divide, type Entry, type Part } from './parts.ts'
import { beside, needsConfirmation, showProgress } from './report.ts'

/** Every call can be repeated, so each is sent until it succeeds. */
const ATTEMPTS = 8
const DELAY = 500

/** The error for prices that change by much. */
const ASKS: ErrorCode = 'confirmation_required'

type Request = {
  /** The file that the operator names. Reports are beside it. */
  file: string
  /** The file to read, with the same lines as JSON: with `--files`, they say what the files are. */
  lines: string
  isDryRun: boolean
  /** Whether prices may change by much. */
  isConfirmed: boolean
}

/**
 * What an import has done, or why it has done nothing. `counts` is null for a file without lines.
 * `imported` is the number of parts before the one with problems.
 */
export type Outcome = { counts: Counts | null } | { problems: LineProblem[]; imported?: number }

/** What is kept beside a file whose import broke off. */
type State = { url: string; hash: string; parts: number; id: string }

/**
 * Sends the lines to the API, which keeps them until the last one of an import is there. A file that
 * is too large for one import is several. What broke off goes on where it stopped: its state is
 * kept in a file beside the catalogue.
 */
export async function sendRecords(
  { file, lines, isDryRun, isConfirmed }: Request,
  { url, token }: Instance,
): Promise<Outcome> {
  const client = createClient({ url, token, retry: { attempts: 1 } })
  const target = { url, client }
  const { entries, problems } = await checkLines(lines)
  if (problems.length > 0) return { problems }
  if (entries.length === 0) return { counts: null }
  const parts = divide(entries, isDryRun)
  const stateFile = beside(file, 'import.json')
  const fresh = { url, hash: await hashFile(lines), parts: 0, id: randomUUID() }
  let state = isDryRun ? fresh : await readState(stateFile, fresh)
  const total = noCounts()
  for (const [index, part] of parts.entries()) {
    // What was imported before the command was stopped.
    if (index < state.parts) continue
    const show = (progress: number) => showProgress((index + progress) / parts.length, 'sending')
    const outcome = await importPart(
      { file, lines, isDryRun, isConfirmed, show },
      target,
      part,
      state.id,
    )
    if ('problems' in outcome) {
      await rm(stateFile, { force: true })
      return { ...outcome, imported: index }
    }
    add(total, outcome.counts, part)
    if (parts.length > 1 && !isDryRun) console.log(`Imported part ${index + 1} of ${parts.length}.`)
    state = { ...state, parts: index + 1, id: randomUUID() }
    if (!isDryRun) await writeLines(stateFile, [JSON.stringify(state)])
  }
  if (isDryRun) return { counts: total }
  await rm(stateFile, { force: true })
  const find = async (records: RecordIds['records']) =>
    (await repeat(() => client.findRecordNumbers({ body: { records } }))).numbers
  await writeNumbers(file, lines, find).catch((error) => {
    throw described(error, url, 'Run the command again for the ids of the records.')
  })
  return { counts: total }
}

const noCounts = (): Counts => {
  const none = { created: 0, updated: 0, unchanged: 0 }
  return { user: { ...none }, nft: { ...none }, listing: { ...none } }
}

/** Adds what an import has done. Users that it only had for its NFTs were counted before. */
function add(total: Counts, counts: Counts, { hasUsersOfNfts }: Part): void {
  for (const type of hasUsersOfNfts ? (['nft', 'listing'] as const) : catalogueTypes)
    for (const change of ['created', 'updated', 'unchanged'] as const)
      total[type][change] += counts[type][change]
}

/** Sends the lines of one import, and commits them with the last. */
async function importPart(
  {
    file,
    lines: source,
    isDryRun,
    isConfirmed,
    show,
  }: Request & { show: (progress: number) => void },
  { url, client }: { url: string; client: MarketplaceClient },
  { lines: chosen }: Part,
  id: string,
): Promise<{ counts: Counts } | { problems: LineProblem[] }> {
  let staged = 0
  try {
    for await (const { from, lines, progress } of readChunks(source, chosen)) {
      const last = from + lines.length - 1
      const isLast = last === chosen.size
      // The first answer tells how many lines the instance has from an earlier run.
      if (from > 1 && !isLast && last <= staged) continue
      const answer = await repeat(() =>
        client.importCatalogue({
          import: id,
          line: from,
          commit: isLast ? 'true' : 'false',
          dryRun: isDryRun ? 'true' : 'false',
          confirm: isConfirmed ? 'true' : 'false',
          body: new Blob(lines.map((line) => `${line}\n`)),
        }),
      )
      staged = answer.lines
      show(progress)
      if (answer.result) return { counts: answer.result }
    }
    throw new CommandError(`${file} has changed meanwhile. Run the command again.`)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') {
      await rm(beside(file, 'import.json'), { force: true })
      throw new CommandError(
        `An earlier run has committed this file. Run the command again to compare it with what is stored. (${error.message})`,
      )
    }
    if (!(error instanceof ApiError) || (error.status !== 400 && error.code !== ASKS))
      throw described(error, url, 'Run the command again to go on.')
    const numbers = [...chosen].sort((a, b) => a - b)
    const problems = error.issues.map((issue) => toProblem(issue, numbers))
    if (error.code === ASKS) throw needsConfirmation(error.message, problems)
    return { problems }
  }
}

/** Returns what each line is, without blank lines, and what is wrong with the lines. */
async function checkLines(file: string) {
  const entries: Entry[] = []
  const problems: LineProblem[] = []
  for await (const { from, lines } of readChunks(file)) {
    const parsed = parseLines(lines, from, [])
    problems.push(...parsed.problems)
    for (const { line, type, externalId, record } of parsed.staged) {
      const { nft, creator, seller } = JSON.parse(record ?? '{}')
      entries.push({ line, type, id: externalId, nft, user: creator ?? seller })
    }
  }
  return { entries, problems }
}

/** Returns the state of an import of the same file that broke off, or this new one. */
async function readState(stateFile: string, fresh: State): Promise<State> {
  const state: Partial<State> = await readFile(stateFile, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  if (state.url === fresh.url && state.hash === fresh.hash) return { ...fresh, ...state }
  await writeLines(stateFile, [JSON.stringify(fresh)])
  return fresh
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

/** The path of an issue is `lines[12].creator`, or `lines[12]`. `numbers` are the lines of the import. */
function toProblem({ path, ...issue }: Issue, numbers: readonly number[]): LineProblem {
  const [, line, field = ''] = /^lines\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  return { ...issue, line: numbers[Number(line ?? 0) - 1] ?? 0, path: field }
}
