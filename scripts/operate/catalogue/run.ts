/** The steps of an import, with what they print. */
import { join } from 'node:path'
import { isSpreadsheet, joinProblems } from '../../../src/catalogue/csv.ts'
import { plural } from '../../../src/pages/components/text.ts'
import { CommandError } from '../../shell/command.ts'
import { folderBeside } from '../../shell/files.ts'
import { findInstance } from '../../shell/instance.ts'
import { type CollectionOptions, collectionFile, readCollection } from './import-collection.ts'
import { completeCatalogue } from './local-files.ts'
import { describeGrants } from './mints.ts'
import { numbersFile } from './numbers.ts'
import { describeObstacles } from './obstacles.ts'
import {
  type Catalogue,
  describeCounts,
  forgetProblems,
  hideProgress,
  reportProblems,
} from './report.ts'
import { sendFiles } from './send-files.ts'
import { type Outcome, sendRecords } from './send-records.ts'
import { convertSpreadsheet } from './spreadsheet.ts'

type Import = {
  /** The catalogue. May be '' with `collection`. */
  file: string
  isDryRun: boolean
  isConfirmed: boolean
  environment: string | undefined
  /** The folder with the files of NFTs, if the operator names one. */
  files: string | undefined
  /** What is read from a contract into the file first, if anything. */
  collection: CollectionOptions | undefined
}

export async function importCatalogue(input: Import): Promise<void> {
  const { isDryRun, isConfirmed, environment, files, collection } = input
  const file = input.file || (collection ? collectionFile(collection) : '')
  if (collection && isSpreadsheet(file))
    throw new CommandError('--from-chain writes JSON Lines: name a file that ends with .jsonl.')
  const instance = await findInstance(environment)
  const leftOut = collection ? await readCollection(file, collection, environment) : 0
  using folder = await folderBeside(file)
  const records = isSpreadsheet(file) ? join(folder.path, 'spreadsheet.jsonl') : file
  const lines = files === undefined ? records : join(folder.path, 'catalogue.jsonl')
  const cells = isSpreadsheet(file) ? await convertSpreadsheet(file, records) : []
  const problems = files === undefined ? [] : await completeCatalogue(records, files, lines)
  if (problems.length > 0)
    throw new CommandError(await reportProblems({ file, records }, joinProblems(cells, problems)))
  const command = `npm run import -- ${file}`
  const target = environment ? ` --remote --env ${environment}` : ''
  const run = async (isRehearsal: boolean, confirms = isConfirmed) => {
    const request = {
      file,
      lines,
      isDryRun: isRehearsal || cells.length > 0,
      isConfirmed: confirms,
    }
    const outcome = await sendRecords(request, instance)
    hideProgress()
    return outcome
  }
  if (collection) refuseChanges(file, command + target, await run(true, true))
  const found = await run(isDryRun)
  const others = 'problems' in found ? found.problems : []
  const outcome = cells.length > 0 ? { problems: joinProblems(cells, others) } : found
  await report({ file, records }, outcome, isDryRun)
  if (collection)
    console.log(
      `Their holders have to approve the Delivery contract. To mint more of them on delivery, set "fulfilment" to "mint" in ${file} and import it again, which prints what to grant.`,
    )
  for (const line of await describeGrants(records, environment)) console.log(line)
  for (const line of await describeObstacles(records, environment)) console.log(line)
  const missing = isDryRun ? null : await sendFiles(lines, files, instance)
  if (files !== undefined && missing !== null) console.log(`Sent ${plural(missing, 'file')}.`)
  else if (missing)
    console.log(
      `${plural(missing, 'file')} of these NFTs must be sent before they are sold: ${command} --files FOLDER${target}`,
    )
  if (leftOut > 0)
    throw new CommandError(
      `Without ${plural(leftOut, 'token')}. Run the command again to try them again.`,
    )
}

/** A contract does not know what operators have set: prices, names, what is released. */
function refuseChanges(file: string, command: string, outcome: Outcome): void {
  if (!('counts' in outcome) || !outcome.counts) return
  const { user, nft, listing } = outcome.counts
  const changed = user.updated + nft.updated + listing.updated
  if (changed > 0)
    throw new CommandError(
      `${file} would change ${changed} records that the marketplace has already. Nothing was imported. Check the file, and import it: ${command}`,
    )
}

async function report(catalogue: Catalogue, outcome: Outcome, isDryRun: boolean): Promise<void> {
  const { file } = catalogue
  if ('problems' in outcome)
    throw new CommandError(await reportProblems(catalogue, outcome.problems, outcome.imported))
  await forgetProblems(file)
  if (!outcome.counts) throw new CommandError(`${file} has no lines.`)
  if (isDryRun) console.log('Nothing was changed. Without --dry-run, this would be:')
  console.log(describeCounts(outcome.counts))
  if (!isDryRun)
    console.log(
      `${numbersFile(file)} has the numbers of these records in the API. The API finds them by your ids, too: GET /api/public/listings/externalId:<id>, GET /api/public/nfts/externalId:<id>.`,
    )
}
