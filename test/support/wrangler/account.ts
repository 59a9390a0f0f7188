/** A project whose wrangler is a stand-in with a Cloudflare account of its own. */
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { aProject, type Project } from '../project.ts'

/** What `wrangler deploy --secrets-file` took with it. */
export type Upload = { file: string; mode: string; secrets: Record<string, string> }

export type Account = {
  login: { email: string; accounts: { id: string; name: string }[] } | null
  databases: { uuid: string; name: string }[]
  /** The names of their lifecycle rules. */
  buckets: Record<string, string[]>
  /** The Workers that read them. */
  queues: Record<string, string[]>
  workers: Record<string, { secrets: string[]; versions: string[] }>
  /** Domains that may send mails. */
  senders: string[]
  /** Every command, in order. */
  commands: string[]
  uploads: Upload[]
  /** What `wrangler secret put` has set. */
  values?: Record<string, string>
  /**
   * `refuse`: the command fails and changes nothing. `kill`: it does its work, then the process
   * that ran it is killed.
   */
  failure?: { command: string; how: 'refuse' | 'kill' }
}

const emptyAccount: Account = {
  login: { email: 'ada@example.org', accounts: [{ id: 'a1', name: 'Ada' }] },
  databases: [],
  buckets: {},
  queues: {},
  workers: {},
  senders: [],
  commands: [],
  uploads: [],
}

export type AccountProject = Project & {
  /** Deletes what commands left in the folder, and sets wrangler.toml and the account. */
  reset: (toml: string, account?: Partial<Account>) => Promise<void>
  read: () => Promise<Account>
  /** A field that is undefined is removed. */
  change: (changes: { [Field in keyof Account]?: Account[Field] | undefined }) => Promise<void>
  /** Returns a function that sets what commands have left in the folder back to the present state. */
  save: () => Promise<() => Promise<void>>
  /** Returns the text of a file of the project. */
  readText: (file: string) => Promise<string>
}

/** Node resolves links, so the folders that import wrangler are copies. */
const COPIED = ['scripts', 'src', 'contracts', 'migrations']

/** What commands leave in the folder. */
const LEFT = /^(account\.json|remote\.sqlite|secrets\..*|wrangler\.toml)$/

export async function anAccountProject(): Promise<AccountProject> {
  const project = await aProject()
  const inProject = (path: string) => join(project.folder, path)
  for (const name of COPIED) {
    await rm(inProject(name), { force: true })
    await cp(name, inProject(name), { recursive: true })
  }
  await replaceWrangler(inProject('node_modules'))

  const listLeft = async () => (await readdir(project.folder)).filter((name) => LEFT.test(name))
  const clear = async () => {
    for (const name of await listLeft()) await rm(inProject(name))
  }
  const read = async (): Promise<Account> =>
    JSON.parse(await readFile(inProject('account.json'), 'utf8'))
  const write = (account: object) =>
    writeFile(inProject('account.json'), JSON.stringify(account, null, 2))
  return {
    ...project,
    // Commands import all of wrangler, which takes a second to compile.
    run: (name, args, env) =>
      project.run(name, args, { NODE_COMPILE_CACHE: inProject('compiled'), ...env }),
    read,
    change: async (changes) => write({ ...(await read()), ...changes }),
    reset: async (toml, account = {}) => {
      await clear()
      await writeFile(inProject('wrangler.toml'), toml)
      await write({ ...emptyAccount, ...account })
    },
    save: async () => {
      const files = (await listLeft()).map(
        async (name) =>
          [name, await readFile(inProject(name)), await stat(inProject(name))] as const,
      )
      const saved = await Promise.all(files)
      return async () => {
        await clear()
        for (const [name, bytes, { mode }] of saved)
          await writeFile(inProject(name), bytes, { mode })
      }
    },
    readText: (file) => readFile(inProject(file), 'utf8'),
  }
}

/** Replaces the link to node_modules by a folder of links, with a wrangler that is the stand-in. */
async function replaceWrangler(folder: string): Promise<void> {
  await rm(folder)
  await mkdir(join(folder, 'wrangler'), { recursive: true })
  for (const name of await readdir('node_modules'))
    if (name !== 'wrangler') await symlink(resolve('node_modules', name), join(folder, name))
  // Imported, it is wrangler; run, it is the stand-in.
  const standIn = JSON.stringify(resolve('test/support/wrangler/stand-in.ts'))
  const wrangler = JSON.stringify(resolve('node_modules/wrangler'))
  await writeFile(join(folder, 'wrangler/package.json'), '{"main":"main.cjs"}')
  // `npx wrangler` runs it, too.
  await rm(join(folder, '.bin'))
  await mkdir(join(folder, '.bin'))
  for (const name of await readdir('node_modules/.bin'))
    if (name !== 'wrangler')
      await symlink(resolve('node_modules/.bin', name), join(folder, '.bin', name))
  await writeFile(
    join(folder, '.bin/wrangler'),
    `#!/bin/sh\nexec node --no-warnings ${join(folder, 'wrangler/main.cjs')} "$@"\n`,
    { mode: 0o755 },
  )
  await writeFile(
    join(folder, 'wrangler/main.cjs'),
    `if (require.main === module) require(${standIn})\nelse module.exports = require(${wrangler})\n`,
  )
}
