/** `npm run export -- FILE.jsonl`: writes the catalogue to a file that `npm run import` reads. */
import { readCatalogue } from './catalogue/export.ts'
import { writeLines } from './catalogue/lines.ts'
import { openMigratedDatabase } from './database/local.ts'
import { openRemoteDatabase, type SqliteDatabase } from './database/remote.ts'
import { runCommand, UsageError } from './shell/command.ts'

await runCommand(
  {
    name: 'npm run export',
    purpose:
      'Writes users, NFTs and listings to a file that `npm run import` reads. It holds e-mail addresses, so only its owner can read it.',
    file: { value: 'FILE.jsonl', help: 'The file to write. It is replaced if it exists.' },
    options: {
      remote: { type: 'boolean', default: false, help: 'Of a deployed instance.' },
      env: { type: 'string', value: 'NAME', help: 'With --remote: which one.' },
    },
    example: 'npm run export -- catalogue.jsonl',
  },
  async ({ remote, env }, file: string) => {
    if (remote !== Boolean(env)) throw new UsageError('--remote and --env need each other.')
    if (remote && env) return write(openRemoteDatabase(env), file)
    const { db, close } = await openMigratedDatabase()
    try {
      await write(db, file)
    } finally {
      await close()
    }
  },
)

async function write(db: SqliteDatabase, file: string): Promise<void> {
  let lines = 0
  async function* counted() {
    for await (const line of readCatalogue(db)) {
      lines++
      yield line
    }
  }
  await writeLines(file, counted())
  console.log(`Wrote ${lines} records to ${file}.`)
}
