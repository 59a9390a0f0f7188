/**
 * `npm run export -- FILE.jsonl`: writes the catalogue to a file that `npm run import` reads. With
 * `--user N`, writes the data of a person instead, and with `--orders` the orders of a time.
 */
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { instanceOptions, parseInstance } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run export',
    purpose:
      'Writes users, NFTs and listings to a file that `npm run import` reads; with --user, everything that is stored of a person; with --orders, all orders of a time, newest first. Only its owner can read the file.',
    file: {
      value: 'FILE',
      help: 'The file to write: JSON Lines, JSON with --user, or CSV with --csv. It is replaced if it exists.',
    },
    options: {
      user: { value: 'N', help: 'Write the data of this user.' },
      orders: { help: 'Write orders, in short.' },
      from: {
        value: 'TIME',
        help: 'With --orders, required: the first time (UTC), as 2026-01-31T00:00:00Z.',
      },
      to: {
        value: 'TIME',
        help: 'With --orders, required: the first time after them, a minute ago or earlier.',
      },
      csv: { help: 'With --orders: CSV, for spreadsheets.' },
      ...instanceOptions,
    },
    variables: {
      MARKETPLACE_TOKEN: 'With --user or --orders, and --remote: a master token of the instance.',
    },
    example: 'npm run export -- catalogue.jsonl',
  },
  async ({ user, orders, from, to, csv, ...instance }, file: string) => {
    const environment = parseInstance(instance)
    if (user !== undefined && orders) throw new UsageError('--user is without --orders.')
    if (!orders && (csv || from || to))
      throw new UsageError('--from, --to and --csv need --orders.')
    const { exportCatalogue, exportOrders, exportPerson } = await import('./export/files.ts')
    if (orders) await exportOrders({ from, to, csv }, environment, file)
    else if (user !== undefined)
      await exportPerson(parseInteger('--user', user, 1), environment, file)
    else await exportCatalogue(environment, file)
  },
)

if (import.meta.main) await start(command)
