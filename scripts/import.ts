/** `npm run import -- FILE.jsonl`: imports a catalogue of users, NFTs and listings. */
import { unstable_readConfig } from 'wrangler'
import type { Outcome, Request } from './catalogue/import.ts'
import { importLocally } from './catalogue/import-local.ts'
import { importRemotely } from './catalogue/import-remote.ts'
import { describeCounts, forgetProblems, reportProblems, showProgress } from './catalogue/report.ts'
import { CommandError, runCommand, UsageError } from './shell/command.ts'

await runCommand(
  {
    name: 'npm run import',
    purpose:
      'Imports users, NFTs and listings: all of a file, or nothing. The same file again changes nothing. docs/catalogue.md describes the file.',
    file: { value: 'FILE.jsonl', help: 'The catalogue, a record a line.' },
    options: {
      'dry-run': { type: 'boolean', default: false, help: 'Undo the import at its end.' },
      remote: { type: 'boolean', default: false, help: 'Into a deployed instance.' },
      env: { type: 'string', value: 'NAME', help: 'With --remote: which one.' },
    },
    variables: { MARKETPLACE_TOKEN: 'With --remote: a master token of the instance. Required.' },
    example: 'npm run import -- catalogue.jsonl --dry-run',
  },
  async ({ 'dry-run': isDryRun, remote, env }, file: string) => {
    const request: Request = { file, isDryRun, show: showProgress }
    await forgetProblems(file)
    const outcome = await (remote
      ? importRemotely(request, instanceOf(env))
      : importLocally(request))
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    await report(file, outcome, isDryRun)
  },
)

function instanceOf(environment: string | undefined) {
  const { MARKETPLACE_TOKEN: token } = process.env
  if (!environment) throw new UsageError('--remote needs --env.')
  if (!token)
    throw new CommandError(
      'MARKETPLACE_TOKEN is not set. Set it to a master token of the instance: npm run --silent token -- --master --remote --env …',
    )
  const { vars } = unstable_readConfig({ env: environment })
  return { url: String(vars.PUBLIC_URL), token, environment }
}

async function report(file: string, outcome: Outcome, isDryRun: boolean): Promise<void> {
  if ('problems' in outcome) throw new CommandError(await reportProblems(file, outcome.problems))
  if (!outcome.counts) throw new CommandError(`${file} has no lines.`)
  if (isDryRun) console.log('Nothing was changed. Without --dry-run, this would be:')
  console.log(describeCounts(outcome.counts))
}
