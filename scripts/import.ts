/** `npm run import -- FILE.jsonl`: imports a catalogue of users, NFTs and listings. */
import type { Outcome, Request } from './catalogue/import.ts'
import {
  collectionFile,
  collectionOptions,
  importCollection,
} from './catalogue/import-collection.ts'
import { importLocally } from './catalogue/import-local.ts'
import { importRemotely } from './catalogue/import-remote.ts'
import {
  describeCounts,
  forgetProblems,
  hideProgress,
  reportProblems,
  showProgress,
} from './catalogue/report.ts'
import { CommandError, defineCommand, start, UsageError } from './shell/command.ts'
import { instanceVariables, remoteInstance } from './shell/instance.ts'

export const command = defineCommand(
  {
    name: 'npm run import',
    purpose:
      'Imports users, NFTs and listings: all of a file, or nothing. The same file again changes nothing. docs/catalogue.md describes the file.',
    file: {
      value: 'FILE.jsonl',
      help: 'The catalogue, a record a line. With --from-chain, the file to write: a name is chosen without it.',
      isOptional: true,
    },
    options: {
      'dry-run': { type: 'boolean', default: false, help: 'Undo the import at its end.' },
      remote: { type: 'boolean', default: false, help: 'Into a deployed instance.' },
      env: { type: 'string', value: 'NAME', help: 'With --remote: which one.' },
      ...collectionOptions,
    },
    variables: {
      ...instanceVariables,
      METADATA_LOOPBACK_HOSTS:
        'Servers on this machine to read metadata from, as in localhost:3000. Default: none',
    },
    example: 'npm run import -- catalogue.jsonl --dry-run',
  },
  async ({ 'dry-run': isDryRun, remote, env, ...values }, argument: string) => {
    const fromChain = values['from-chain'] !== undefined
    if (env && !remote) throw new UsageError('--env needs --remote.')
    if (!fromChain && Object.keys(values).length > 0)
      throw new UsageError(`--${Object.keys(values)[0]} needs --from-chain.`)
    const file = argument || (fromChain ? collectionFile(values) : '')
    if (!file) throw new UsageError('Name one file: FILE.jsonl.')
    const instance = remote ? remoteInstance(env) : null
    await forgetProblems(file)
    const leftOut = fromChain ? await importCollection(file, values, instance?.environment) : ''
    const run = async (isRehearsal: boolean) => {
      const request: Request = { file, isDryRun: isRehearsal, show: showProgress }
      const outcome = await (instance ? importRemotely(request, instance) : importLocally(request))
      hideProgress()
      return outcome
    }
    if (fromChain) refuseChanges(file, await run(true))
    const outcome = await run(isDryRun)
    await report(file, outcome, isDryRun)
    if (leftOut) throw new CommandError(leftOut)
  },
)

/** A contract does not know what operators have set: prices, names, what is released. */
function refuseChanges(file: string, outcome: Outcome): void {
  if (!('counts' in outcome) || !outcome.counts) return
  const { user, nft, listing } = outcome.counts
  const changed = user.updated + nft.updated + listing.updated
  if (changed > 0)
    throw new CommandError(
      `${file} would change ${changed} records that the marketplace has already. Nothing was imported. Check the file, and import it: npm run import -- ${file}`,
    )
}

async function report(file: string, outcome: Outcome, isDryRun: boolean): Promise<void> {
  if ('problems' in outcome) throw new CommandError(await reportProblems(file, outcome.problems))
  if (!outcome.counts) throw new CommandError(`${file} has no lines.`)
  if (isDryRun) console.log('Nothing was changed. Without --dry-run, this would be:')
  console.log(describeCounts(outcome.counts))
}

if (import.meta.main) await start(command)
