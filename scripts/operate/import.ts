/** `npm run import -- FILE.jsonl`: imports a catalogue of users, NFTs and listings. */
import { plural } from '../../src/pages/components/text.ts'
import { CommandError, defineCommand, start, UsageError } from '../shell/command.ts'
import { instanceVariables, parseInstance, remoteInstance } from '../shell/instance.ts'
import type { Outcome } from './catalogue/import.ts'
import { collectionFile, readCollection } from './catalogue/import-collection.ts'
import { importLocally } from './catalogue/import-local.ts'
import { importRemotely } from './catalogue/import-remote.ts'
import { describeGrants } from './catalogue/mints.ts'
import { numbersFile } from './catalogue/numbers.ts'
import { describeObstacles } from './catalogue/obstacles.ts'
import { describeCounts, forgetProblems, hideProgress, reportProblems } from './catalogue/report.ts'
import { networkVariables } from './contract/networks.ts'

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
      'dry-run': { help: 'Undo the import at its end.' },
      remote: { help: 'Into a deployed instance.' },
      env: { value: 'NAME', help: 'With --remote: which one.' },
      'from-chain': { value: 'ADDRESS', help: 'Add the NFTs of this contract to the file first.' },
      network: { value: 'NAME', help: 'The network of the contract.' },
      'from-block': {
        value: 'N',
        help: 'Where its events begin. Default: the block of its creation',
      },
      'price-cents': {
        value: 'N',
        help: 'Price of each NFT, in minor units of the currency: cents for EUR, yen for JPY. Default: drafts',
      },
      'price-eths': { value: 'ETH', help: 'The same in ETH.' },
      currency: { value: 'CODE', help: 'Currency of --price-cents, as in EUR.' },
      creator: {
        value: 'WHO',
        help: 'Creator and seller: a wallet, an e-mail address, or the id of a user who is imported. Default: the owner of the contract',
      },
      'contract-name': { value: 'TEXT', help: 'Default: the name in the contract' },
      'ipfs-gateway': { value: 'URL', help: 'For metadata. Default: https://ipfs.io' },
    },
    variables: {
      ...instanceVariables,
      ...networkVariables,
      METADATA_LOOPBACK_HOSTS:
        'Servers on this machine to read metadata from, as in localhost:3000. Default: none',
    },
    example: 'npm run import -- catalogue.jsonl --dry-run',
  },
  async ({ 'dry-run': isDryRun, remote, env, ...values }, argument: string) => {
    const fromChain = values['from-chain'] !== undefined
    const environment = parseInstance({ remote, env })
    if (!fromChain && Object.keys(values).length > 0)
      throw new UsageError(`--${Object.keys(values)[0]} needs --from-chain.`)
    const file = argument || (fromChain ? collectionFile(values) : '')
    if (!file) throw new UsageError('Name one file: FILE.jsonl.')
    const instance = environment ? remoteInstance(environment) : null
    const leftOut = fromChain ? await readCollection(file, values, environment) : 0
    const run = async (isRehearsal: boolean) => {
      const request = { file, isDryRun: isRehearsal }
      const outcome = await (instance ? importRemotely(request, instance) : importLocally(request))
      hideProgress()
      return outcome
    }
    if (fromChain) refuseChanges(file, await run(true))
    const outcome = await run(isDryRun)
    await report(file, outcome, isDryRun)
    if (fromChain)
      console.log(
        `Their holders have to approve the Delivery contract. To mint more of them on delivery, set "fulfilment" to "mint" in ${file} and import it again, which prints what to grant.`,
      )
    for (const line of await describeGrants(file, environment)) console.log(line)
    for (const line of await describeObstacles(file, environment)) console.log(line)
    if (leftOut > 0)
      throw new CommandError(
        `Without ${plural(leftOut, 'token')}. Run the command again to try them again.`,
      )
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
  if ('problems' in outcome)
    throw new CommandError(await reportProblems(file, outcome.problems, outcome.imported))
  await forgetProblems(file)
  if (!outcome.counts) throw new CommandError(`${file} has no lines.`)
  if (isDryRun) console.log('Nothing was changed. Without --dry-run, this would be:')
  console.log(describeCounts(outcome.counts))
  if (!isDryRun)
    console.log(
      `${numbersFile(file)} has the numbers of these records in the API. The API finds them by your ids, too: GET /api/public/listings/externalId:<id>, GET /api/public/nfts/externalId:<id>.`,
    )
}

if (import.meta.main) await start(command)
