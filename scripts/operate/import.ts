/** `npm run import -- FILE`: imports a catalogue of users, NFTs and listings. */
import { defineCommand, start, UsageError } from '../shell/command.ts'
import { instanceVariables, networkVariables, parseInstance } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run import',
    purpose:
      'Imports users, NFTs and listings into the instance that `npm run dev` runs: all of a file, or nothing. The same file again changes nothing. docs/catalogue.md describes the file.',
    file: {
      value: 'FILE',
      help: 'The catalogue: JSON Lines, or a spreadsheet if it ends with .csv, .tsv or .txt. With --from-chain, the file to write as JSON Lines: a name is chosen without it.',
      isOptional: true,
    },
    options: {
      'dry-run': { help: 'Undo the import at its end.' },
      confirm: {
        help: 'Let prices become more than double or less than half of what they are, or get another currency.',
      },
      files: {
        value: 'FOLDER',
        help: 'Send the files of NFTs from here: FOLDER/<name>, or FOLDER/<id of the NFT>/<name>. Run it again to go on.',
      },
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
  async (
    { 'dry-run': isDryRun, confirm: isConfirmed, files, remote, env, ...values },
    argument: string,
  ) => {
    const fromChain = values['from-chain'] !== undefined
    const environment = parseInstance({ remote, env })
    if (!fromChain && Object.keys(values).length > 0)
      throw new UsageError(`--${Object.keys(values)[0]} needs --from-chain.`)
    if (!argument && !fromChain) throw new UsageError('Name one file.')
    const { importCatalogue } = await import('./catalogue/run.ts')
    const collection = fromChain ? values : undefined
    const input = { file: argument, isDryRun, isConfirmed, environment, files, collection }
    await importCatalogue(input)
  },
)

if (import.meta.main) await start(command)
