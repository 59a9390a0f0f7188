import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { call } from '../support/call.ts'

/** Calls the command of a script. */
async function run(script: string, ...args: string[]) {
  const { command } = await import(resolve(script))
  return call(command, args)
}

/** Every script of ours that package.json runs, with the name that it has there. */
const lines: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts
const scripts = Object.entries(lines).flatMap(([name, line]) =>
  [...line.matchAll(/node (\S+\.ts)(?= |$)/g)].flatMap(([, script = '']) => {
    const isPart = line !== `node ${script}`
    return isPart && Object.values(lines).includes(`node ${script}`)
      ? []
      : [{ script, name: isPart ? `npx node ${script}` : `npm run ${name}` }]
  }),
)

it.each(scripts)('$name prints what it does, with an example', async ({ script, name }) => {
  const { out, errors, status } = await run(script, '--help')
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  const silent = name.replace('npm run ', 'npm run (--silent )?')
  expect(out).toMatch(new RegExp(`^[A-Z].*\\.\n\nusage: ${silent}\\b`))
  expect(out).toMatch(new RegExp(`\nexample:\n  ([A-Z_]+=\\S+ )*${silent}\\b.*\n$`))
})
