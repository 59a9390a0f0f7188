/** A project whose wrangler is a stand-in with a Cloudflare account of its own. */
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { call } from '../call.ts'
import { aProject, type Project } from '../project.ts'

/** What `wrangler deploy --secrets-file` took with it. */
export type Upload = { file: string; mode: string; secrets: Record<string, string> }

export type Account = {
  login: { email: string; accounts: { id: string; name: string }[] } | null
  databases: { uuid: string; name: string; replication?: string }[]
  /** What the account lacks: R2, a subdomain of workers.dev, or the zone of the host. */
  lacks?: ('r2' | 'subdomain' | 'zone')[]
  /** The names of their lifecycle rules. In a jurisdiction, the name is as in `pictures (eu)`. */
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
  /** Calls a command in this process, with the project as the working directory. */
  call: typeof call
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

/** What commands leave in the folder. */
const LEFT = /^(account\.json|remote\.sqlite|r2 .*|secrets\..*|wrangler\.toml)$/

export async function anAccountProject(): Promise<AccountProject> {
  const project = await aProject()
  const inProject = (path: string) => join(project.folder, path)
  // A copy, because tests add files to it.
  await rm(inProject('migrations'))
  await cp('migrations', inProject('migrations'), { recursive: true })
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
    call: async (...command) => {
      const root = process.cwd()
      process.chdir(project.folder)
      return call(...command).finally(() => process.chdir(root))
    },
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
  await mkdir(join(folder, '.bin'))
  for (const parent of ['', '.bin'])
    for (const name of await readdir(join('node_modules', parent)))
      if (name !== 'wrangler' && name !== '.bin')
        await symlink(resolve('node_modules', parent, name), join(folder, parent, name))
  const main = join(folder, 'wrangler/main.cjs')
  const standIn = resolve('test/support/wrangler/stand-in.ts')
  await writeFile(join(folder, 'wrangler/package.json'), '{"main":"main.cjs"}')
  await writeFile(main, `require(${JSON.stringify(standIn)}).main()\n`)
  // For `npx wrangler`.
  const script = `#!/bin/sh\nexec node --no-warnings ${main} "$@"\n`
  await writeFile(join(folder, '.bin/wrangler'), script, { mode: 0o755 })
}
