/** Imports a catalogue into the local database. `npm run dev` may be running. */
import { randomUUID } from 'node:crypto'
import {
  commit,
  discard,
  type ImportCtx,
  LinesHaveProblems,
  PricesNeedConfirmation,
  stage,
} from '../../../src/catalogue/import.ts'
import { type LineProblem, parseLines } from '../../../src/catalogue/line.ts'
import { selectNumbers } from '../../../src/catalogue/numbers.ts'
import { describeNumber, findPriceChanges, toProblem } from '../../../src/catalogue/prices.ts'
import { findLineProblems } from '../../../src/catalogue/problems.ts'
import { contentLimits } from '../../../src/limits.ts'
import { localNow } from '../../local/clock.ts'
import { CommandError } from '../../shell/command.ts'
import { readNetworks } from '../contract/networks.ts'
import { retryWhileBusy } from '../database/busy.ts'
import { openMigratedDatabase } from '../database/local.ts'
import type { Outcome, Request } from './import.ts'
import { readChunks } from './lines.ts'
import { writeNumbers } from './numbers.ts'
import { needsConfirmation, showProgress } from './report.ts'

export async function importLocally(request: Request): Promise<Outcome> {
  await using local = await openMigratedDatabase()
  const { db } = local
  const target: ImportCtx = {
    db,
    caller: null,
    importId: randomUUID(),
    // No other call has this id.
    callHash: '',
    now: await localNow(),
    maxContentBytes: contentLimits.stored.max,
  }
  try {
    const outcome = await stageAndCommit(target, request)
    if ('counts' in outcome && outcome.counts && !request.isDryRun)
      await writeNumbers(request.file, request.lines, async (records) => {
        const select = selectNumbers(db, { records: JSON.stringify(records) })
        const [rows] = await retryWhileBusy(() => db.batch([select]))
        return rows.map(({ number }) => number)
      }).catch((error) => {
        throw error instanceof CommandError
          ? new CommandError(`The records were imported, but: ${error.message}`)
          : error
      })
    return outcome
  } finally {
    await retryWhileBusy(() => discard(target))
  }
}

async function stageAndCommit(
  target: ImportCtx,
  { lines, isDryRun, isConfirmed }: Request,
): Promise<Outcome> {
  try {
    const { last, records, problems } = await stageFile(target, lines)
    if (records + problems.length === 0) return { counts: null }
    showProgress(1, isDryRun ? 'checking' : 'writing')
    if (problems.length > 0) return { problems: [...problems, ...(await findLineProblems(target))] }
    return { counts: await commit(target, { last, isDryRun, isConfirmed }) }
  } catch (error) {
    if (/SQLITE_BUSY/.test(String(error)))
      throw new CommandError(
        'Nothing was imported: another program wrote to the local database at the same time. Run the command again.',
      )
    if (error instanceof PricesNeedConfirmation) {
      const changes = await findPriceChanges(target)
      throw needsConfirmation(describeNumber(changes), changes.listed.map(toProblem))
    }
    if (!(error instanceof LinesHaveProblems)) throw error
    return { problems: await findLineProblems(target) }
  }
}

/**
 * Stages all lines. Returns the number of the last one, how many are records, and what is wrong with
 * single lines.
 */
async function stageFile(target: ImportCtx, file: string) {
  const networks = Object.keys(readNetworks(undefined))
  const problems: LineProblem[] = []
  let [last, records] = [0, 0]
  for await (const { from, lines, progress } of readChunks(file)) {
    const parsed = parseLines(lines, from, networks)
    last = from + lines.length - 1
    await stage(target, { from, last, lines: parsed.staged })
    problems.push(...parsed.problems)
    records += parsed.staged.length
    showProgress(progress, 'reading')
  }
  return { last, records, problems }
}
