/** `npm run backup` and `npm run restore`. The drill is in restore.long.test.ts. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { migrate, openLocalDatabase } from '../../scripts/local/database.ts'
import { encrypterFor, writeArchive } from '../../scripts/operate/backup/archive.ts'
import { upload } from '../../scripts/operate/backup/bucket.ts'
import { command as backup } from '../../scripts/operate/backup.ts'
import { command as restore } from '../../scripts/operate/restore.ts'
import { call } from '../support/call.ts'
import { inLong } from '../support/cases.ts'
import { aProject, databaseFile } from '../support/project.ts'
import { serve } from '../support/server.ts'
import { aDatabase } from '../support/sqlite.ts'
import { type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

vi.mock('../../scripts/shell/child.ts', () => import('../support/wrangler/child.ts'))

const BACKUP_KEY = await generateX25519Identity()
const BACKUP_PUBLIC_KEY = await identityToRecipient(BACKUP_KEY)
const keys = { BACKUP_KEY, BACKUP_PUBLIC_KEY }

/** Definitions and rows of everything in a database. */
function contentOf(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  const select = (sql: string) => database.prepare(sql).all()
  const schema = select(
    "SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB '_cf_*' ORDER BY 1, 2",
  )
  const tables = schema.filter(({ type }) => type === 'table')
  const rows = tables.map(({ name }) => [name, select(`SELECT * FROM "${name}" ORDER BY 1`)])
  return { schema, rows: Object.fromEntries(rows) }
}

/** 130,000 bytes, which D1 takes as a parameter only, with what ends lines and texts. */
const LONG = JSON.stringify({ amountType: 'unique', text: "it's\u2028\\n; 😀\n--\r".repeat(5200) })

const ROWS = [
  `INSERT INTO users (id, provider, name, email, identityHash, createdAt, updatedAt)
   VALUES (7, 'email', 'a;' || char(13, 10) || 'b''; CREATE TABLE x;' || char(10), 'a@b.org', 'x', '', '')`,
  `INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, contractAddr, contractName,
     contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId, tokenId, status,
     releaseAt, createdAt, updatedAt, changedAt)
   VALUES (4, 'one', 1, 1, '', '', '', 'localhost', ?, 1, '0', 'USD', 'One', 7, '1', 'released', '', '', '', ''),
     (5, 'two', 1, 1, '', '', '', 'localhost', '{}', 1, '0', 'USD', 'Two', 7, '2', 'released', '', '', '', '')`,
]

/** The values of the parameters of a statement. */
const valuesOf = (sql: string) => (sql.includes('?') ? [LONG] : [])

inLong('a local database comes back as it was, with the real wrangler', async () => {
  const root = process.cwd()
  const { folder, remove } = await aProject()
  process.chdir(folder)
  onTestFinished(async () => {
    process.chdir(root)
    await remove()
  })
  const local = await openLocalDatabase()
  await migrate(local)
  const { DB } = local.env
  await DB.batch(ROWS.map((sql) => DB.prepare(sql).bind(...valuesOf(sql))))
  await local.close()
  const before = contentOf(databaseFile(folder))
  expect(await call(backup, ['all.age'], keys)).toMatchObject({ errors: '', status: 0 })
  await rm('.wrangler', { recursive: true })
  expect(await call(restore, ['all.age'], keys)).toMatchObject({ errors: '', status: 0 })
  expect(contentOf(databaseFile(folder))).toEqual(before)
})

describe('a deployed database', () => {
  const REMOTE = ['--remote', '--env', 'production']
  const IN_BUCKET = ['marketplace.age', ...REMOTE, '--bucket', 'backups']
  const READ_FILES = expect.stringMatching(/ --json --yes --command SELECT key, bytes/)
  const DATABASE = '00000000-0000-0000-0000-000000000000'
  let project: AccountProject
  /** Sets the project back to an account whose database has the rows. */
  let reset: () => Promise<void>
  const inProject = (name: string) => join(project.folder, name)

  beforeAll(async () => {
    project = await anAccountProject()
    const text = await readFile('wrangler.toml', 'utf8')
    await project.reset(text.replaceAll(/"<from[^"]*"/g, `"${DATABASE}"`), {
      databases: [{ uuid: DATABASE, name: 'marketplace' }],
    })
    const database = aDatabase(inProject('remote.sqlite'))
    for (const sql of ROWS) database.prepare(sql).run(...valuesOf(sql))
    database.close()
    reset = await project.save()
  })
  afterAll(() => project.remove())
  beforeEach(() => reset())

  /** Runs statements on the database, and returns the rows of the first one. */
  const query = (sql: string) => {
    const database = new DatabaseSync(inProject('remote.sqlite'))
    const rows = sql.startsWith('SELECT') ? database.prepare(sql).all() : database.exec(sql)
    database.close()
    return rows ?? []
  }

  const expectEmpty = () => expect(query('SELECT * FROM sqlite_schema')).toEqual([])

  it('comes back from a bucket as it was, with triggers, views and long values', async () => {
    const before = contentOf(inProject('remote.sqlite'))
    expect(before.schema.filter(({ type }) => type === 'trigger').length).toBeGreaterThan(10)
    expect(await project.call(backup, IN_BUCKET, keys)).toMatchObject({ errors: '', status: 0 })
    const file = inProject('marketplace.age')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readFile(file, 'latin1')).startsWith('age-encryption.org/v1\n')).toBe(true)
    await project.call(async () => {
      await upload('backups', 'marketplace.age', 5000)
      return 0
    })
    await rm(inProject('remote.sqlite'))
    await rm(inProject('marketplace.age'))
    expect(await project.call(restore, IN_BUCKET, keys)).toMatchObject({ errors: '', status: 0 })
    expect(contentOf(inProject('remote.sqlite'))).toEqual(before)
    // The SQL was in folders that nobody else may read, and that are gone.
    const left = await readdir(project.folder)
    expect(left.filter((name) => name.startsWith('part-'))).toEqual([])
    const { commands } = await project.read()
    const shown = commands.map((command) => command.replace(/(--output|--file) \S+\//, '$1 '))
    expect(shown).toEqual([
      'd1 export DB --remote --env production --skip-confirmation --output dump.sql',
      'r2 object put backups/marketplace.age.000 --file part --remote',
      // What a longer file of the name may have left.
      'r2 object delete backups/marketplace.age.001 --remote',
      expect.stringMatching(
        /^d1 execute DB --remote --env production --json --yes --command insert into "backups"/,
      ),
      READ_FILES,
      ...['000', '001'].map(
        (part) => `r2 object put backups/marketplace.age.${part} --file part --remote`,
      ),
      'r2 object delete backups/marketplace.age.002 --remote',
      expect.stringMatching(
        /^d1 execute DB --remote --env production --yes --json --command SELECT/,
      ),
      ...['000', '001', '002'].map(
        (part) => `r2 object get backups/marketplace.age.${part} --file part --remote`,
      ),
      'd1 execute DB --remote --env production --yes --file 000.sql',
      'd1 execute DB --remote --env production --yes --json --command SELECT count(*) AS nfts FROM nfts WHERE hasCodes = 1',
      READ_FILES,
    ])
  })

  it('is not restored over another one', async () => {
    await project.call(backup, ['all.age', ...REMOTE], keys)
    const { errors, status } = await project.call(restore, ['all.age', ...REMOTE], keys)
    expect(status).toBe(1)
    expect(errors).toMatch(/^The database is not empty: it has \d+ tables\./)
  })

  it('lacks the bytes of the files of NFTs, and says when it is restored which are gone', async () => {
    query(`INSERT INTO contentFiles VALUES
      ('k1', 4, 'a.wav', 0, 'audio/wav', 1000, '', 'stored', ''),
      ('k2', 4, 'b.wav', 1, 'audio/wav', 234567, '', 'stored', ''),
      ('k3', 5, 'c.wav', 0, 'audio/wav', 9, '', 'missing', '')`)
    expect((await project.call(backup, ['marketplace.age', ...REMOTE], keys)).out).toBe(
      'Wrote marketplace.age.\nNot in it: 2 files of NFTs with 235,567 bytes. docs/deploying.md says how to keep them.\n',
    )

    const requests: string[] = []
    let status = 200
    const CLOUDFLARE_API_BASE_URL = await serve(({ url = '', headers }, response) => {
      requests.push(`${headers.authorization} ${url}`)
      const isLast = url.includes('cursor=next')
      const result = [{ key: isLast ? 'k1' : 'of another' }]
      response.writeHead(status)
      response.end(JSON.stringify({ result, result_info: isLast ? {} : { cursor: 'next' } }))
    })
    const restored = async (CLOUDFLARE_API_TOKEN: string) => {
      await rm(inProject('remote.sqlite'))
      const variables = { ...keys, CLOUDFLARE_API_BASE_URL, CLOUDFLARE_API_TOKEN }
      const { out } = await project.call(restore, ['marketplace.age', ...REMOTE], variables)
      return out.split('\n').slice(2, -1)
    }
    const HINT = 'docs/runbook.md says what to do: "Files of NFTs are missing".'
    expect(await restored('secret')).toEqual([
      `The bucket lacks 1 file of NFTs. ${HINT}`,
      '  one: b.wav',
    ])
    const path = '/accounts/a1/r2/buckets/marketplace-content/objects?per_page=1000'
    expect(requests).toEqual([`Bearer secret ${path}`, `Bearer secret ${path}&cursor=next`])
    const unknown = 'It has 2 files of NFTs. Whether the bucket has them, too, is not known:'
    expect(await restored('')).toEqual([
      `${unknown} The login of wrangler cannot do it, and CLOUDFLARE_API_TOKEN is not set. ${HINT}`,
    ])
    status = 403
    expect((await restored('secret'))[0]).toContain(`${unknown} Cloudflare answered 403: `)
  })

  it('is restored without the codes that nobody had, which may be given since', async () => {
    query(`UPDATE nfts SET hasCodes = 1, amount = 3, availableAmount = 2 WHERE id = 4;
      INSERT INTO codes (nftId, hash, sealed, orderItemId) VALUES (4, 'a', '', NULL), (4, 'b', '', NULL)`)
    await project.call(backup, ['marketplace.age', ...REMOTE], keys)
    await rm(inProject('remote.sqlite'))
    const { out } = await project.call(restore, ['marketplace.age', ...REMOTE], keys)
    expect(out.split('\n')[2]).toBe(
      'Codes that were given since the backup would be given again, so 1 NFT with codes is not sold before new ones are there. docs/runbook.md says what to do: "Codes missing".',
    )
    expect(query('SELECT count(*) AS codes FROM codes')).toEqual([{ codes: 0 }])
    expect(query('SELECT amount, availableAmount FROM nfts WHERE id = 4')).toEqual([
      { amount: 1, availableAmount: 0 },
    ])
  })

  it('knows when it was backed up last and before, so that it tells when backups stop', async () => {
    const backUp = () => project.call(backup, ['marketplace.age', ...REMOTE], keys)
    await backUp()
    const [first] = query('SELECT at, previousAt FROM backups')
    expect(first).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), previousAt: null })
    await backUp()
    expect(query('SELECT previousAt FROM backups')).toEqual([{ previousAt: first?.at }])
    // As in a version before.
    query('DROP TABLE backups')
    const { errors, out, status } = await backUp()
    expect(errors).toMatch(/^The instance could not be told of the backup: .*no such table/)
    expect([status, out]).toEqual([0, 'Wrote marketplace.age.\n'])
  })

  it('is not exported if the backup cannot be written', async () => {
    const write = async (file: string, key = BACKUP_PUBLIC_KEY) =>
      (await project.call(backup, [file, ...REMOTE], { BACKUP_PUBLIC_KEY: key })).errors
    expect(await write('all.age', '')).toBe('BACKUP_PUBLIC_KEY is not set.\n')
    expect(await write('all.age', 'x')).toMatch(/^BACKUP_PUBLIC_KEY must be a public key of age/)
    expect(await write('migrations')).toBe('migrations is not a file.\n')
    expect(await write('nowhere/all.age')).toBe('There is no folder nowhere for nowhere/all.age.\n')
    expect((await project.read()).commands).toEqual([])
  })

  it('stays empty if the file is another one, of which nothing is printed', async () => {
    await rm(inProject('remote.sqlite'))
    const of = (content: string) =>
      writeArchive(inProject('x.age'), encrypterFor(BACKUP_PUBLIC_KEY), [Buffer.from(content)])
    const NO_BACKUP = 'x.age is not a file of `npm run backup`.\n'
    for (const [write, message] of [
      [() => writeFile(inProject('x.age'), `${BACKUP_KEY}\n`), NO_BACKUP],
      [() => writeFile(inProject('x.age'), ''), NO_BACKUP],
      [() => of(''), 'x.age does not hold the database of a marketplace.\n'],
      [
        () => of('CREATE TABLE foo (id);\n'),
        'x.age does not hold the database of a marketplace.\n',
      ],
    ] as const) {
      await write()
      const { errors, status } = await project.call(restore, ['x.age', ...REMOTE], keys)
      expect({ errors, status }).toEqual({ errors: message, status: 1 })
    }
    expectEmpty()
  })

  it('stays empty without the key of the backup, and if the end of that is missing', async () => {
    await project.call(backup, ['all.age', ...REMOTE], keys)
    await rm(inProject('remote.sqlite'))
    const read = async (key: string) =>
      (await project.call(restore, ['all.age', ...REMOTE], { BACKUP_KEY: key })).errors
    expect(await read('')).toBe('BACKUP_KEY is not set.\n')
    expect(await read('x')).toMatch(/^BACKUP_KEY must be a secret key of age/)
    expect(await read(await generateX25519Identity())).toBe(
      'all.age was encrypted for another key than BACKUP_KEY.\n',
    )
    const bytes = await readFile(inProject('all.age'))
    await writeFile(inProject('all.age'), bytes.subarray(0, bytes.length - 100))
    expect(await read(BACKUP_KEY)).toBe('all.age is damaged, or its end is missing.\n')
    expectEmpty()
  })
})
