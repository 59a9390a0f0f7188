/** Each command of npm and npx that a document names is run by a test. */
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const LONG = 'test/scripts/commands.long.test.ts'
const CONTRACT = 'test/scripts/contract.test.ts'

/** The test of each command, and the text in it that runs the command. */
const tests: Record<string, readonly [file: string, call: string]> = {
  'npm ci': ['test/support/install.ts', "run('npm', ['ci',"],
  'npm init': ['test/client/package.test.ts', "['init', '-y']"],
  'npm install': [LONG, 'npm install ${'],
  'npm ls': [LONG, "run('npm ls workerd')"],
  'npm run backup': ['test/scripts/backup.test.ts', 'call(backup,'],
  'npm run bench': [LONG, "run('npm run bench -- --brief')"],
  'npm run build': ['client/package.json', '"prepack": "npm run build"'],
  'npm run chaos': [LONG, "'npm run chaos -- --seed 7"],
  'npm run check': [LONG, "run('npm run check')"],
  'npm run contract': ['test/support/contract.ts', 'call(command, [action,'],
  'npm run contract -- accept-ownership': [CONTRACT, "run('accept-ownership'"],
  'npm run contract -- audit': ['test/scripts/contract/audit.test.ts', "run('audit'"],
  'npm run contract -- deploy': ['test/scripts/contract/deploy.test.ts', "run('deploy'"],
  'npm run contract -- pause': [CONTRACT, "run('pause'"],
  'npm run contract -- remove-relayer': [CONTRACT, "run('remove-relayer'"],
  'npm run contract -- retire': [CONTRACT, "run('retire'"],
  'npm run contract -- set-relayer': [CONTRACT, "run('set-relayer'"],
  'npm run contract -- set-token-limit': [CONTRACT, "run('set-token-limit'"],
  'npm run contract -- status': [CONTRACT, "run('status'"],
  'npm run contract -- unpause': [CONTRACT, "run('unpause'"],
  'npm run contract:compile': [LONG, "['npm run contract:compile',"],
  'npm run costs': ['test/scripts/documents.test.ts', "['scripts/costs.ts']"],
  'npm run db:generate': [LONG, "run('npm run db:generate "],
  'npm run deploy': ['test/scripts/deploy.test.ts', 'project.call(command,'],
  'npm run dev': ['test/scripts/dev.test.ts', "project.start('dev',"],
  'npm run export': ['test/client/export.test.ts', 'call(command,'],
  'npm run forget': ['test/client/personal-data.test.ts', 'call(forget,'],
  'npm run format': [LONG, "run('npm run format')"],
  'npm run fuzz': [LONG, "['npm run fuzz -- --seed 7"],
  'npm run import': ['test/client/import.test.ts', 'call(importCommand,'],
  'npm run keys -- backup': ['test/scripts/keys.test.ts', "call(keys, ['backup'"],
  'npm run keys -- delivery': ['test/scripts/keys.test.ts', "call(keys, ['delivery'"],
  'npm run keys -- jwt': ['test/scripts/keys.test.ts', "call(keys, ['jwt'"],
  'npm run keys -- proof': ['test/scripts/keys.test.ts', "call(keys, ['proof'"],
  'npm run keys -- relayer': ['test/scripts/keys.test.ts', "call(keys, ['relayer'"],
  'npm run migrate': ['test/scripts/deploy.test.ts', 'project.call(migrate,'],
  'npm run openapi': [LONG, "['npm run openapi',"],
  'npm run openapi -- --examples': [LONG, "['npm run openapi -- --examples',"],
  'npm run restore': ['test/scripts/backup.test.ts', 'call(restore,'],
  'npm run screenshots': [LONG, "run('npm run screenshots -- --only nfts')"],
  'npm run seed': ['test/scripts/seed.test.ts', 'call(seed,'],
  'npm run setup': ['test/scripts/setup.test.ts', 'project.call(command,'],
  'npm run test:guards': [LONG, "'npm run test:guards -- --only "],
  'npm run test:long': ['.github/workflows/nightly.yml', 'npm run test:long'],
  'npm run token': ['test/scripts/token.test.ts', 'call(token,'],
  'npm run types': [LONG, "['npm run types',"],
  'npm test': ['.ci/run', 'npm test'],
  'npm version': [LONG, 'npm version 9.8.7'],
  'npx anvil': [LONG, '`npx anvil --state'],
  'npx client.tgz': [LONG, '/client.tgz --help'],
  'npx client.tgz check-my-shop': ['test/support/shops.ts', "'check-my-shop',"],
  'npx client.tgz listen': ['test/client/listen.long.test.ts', "'listen',"],
  'npx client.tgz trigger': ['test/client/trigger.test.ts', "['trigger',"],
  'npx client.tgz verify': ['test/client/verify.test.ts', "['verify',"],
  'npx marketplace': [LONG, 'npx marketplace --help'],
  'npx marketplace listen': ['test/client/listen.long.test.ts', "'listen',"],
  'npx vitest': [LONG, '"npx vitest run test/orders/place.test.ts'],
  'npx wrangler': ['test/scripts/wrangler.long.test.ts', "[...command, '--help']"],
}

/** What no test can run here, because it asks the npm registry. */
const untested = ['npm view']

/** The changelog also names commands that were removed. */
const documents = globSync(['*.md', 'docs/**/*.md', 'client/*.md', 'test/*.md']).filter(
  (document) => document !== 'CHANGELOG.md',
)

/** The names of the commands in a text. What is not code, as "npx keeps" in a sentence, is none. */
function namesIn(text: string): string[] {
  const scripts = text.matchAll(
    /npm run (?:--silent )?((?:contract|keys) -- [a-z][a-z-]+|openapi -- --examples|[a-z][\w:-]+)/g,
  )
  const verbs = text.matchAll(/(?<=[`\n(&] ?)npm (?!run\b)([a-z]+)/g)
  const programs = text.matchAll(
    /(?<=[`\n(&] ?)npx (?:--yes )?(?:\S*\/)?([a-z.]+)(?: (check-my-shop|listen|trigger|verify)\b)?/g,
  )
  return [
    ...[...scripts].map(([, name]) => `npm run ${name}`),
    ...[...verbs].map(([, name]) => `npm ${name}`),
    ...[...programs].map(([, name, action]) => ['npx', name, action].filter(Boolean).join(' ')),
  ]
}

it('finds commands in a text', () => {
  const text =
    '`npm run keys -- jwt`, `npm run --silent token -- --user 3`.\nnpm ci && npx wrangler d1'
  const sentence = 'npx keeps it: `npx --yes http://localhost:8787/client.tgz listen --url x`'
  expect(namesIn(`${text}\n${sentence.slice(4)}`)).toEqual([
    'npm run keys -- jwt',
    'npm run token',
    'npm ci',
    'npx wrangler',
    'npx client.tgz listen',
  ])
})

it.each(documents)('names only commands that a test runs: %s', (document) => {
  const names = namesIn(readFileSync(document, 'utf8'))
  const known = [...Object.keys(tests), ...untested]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
})

it('has no command that no document names', () => {
  const names = new Set(documents.flatMap((document) => namesIn(readFileSync(document, 'utf8'))))
  expect([...Object.keys(tests), ...untested].filter((name) => !names.has(name))).toEqual([])
})

it.each(Object.entries(tests))('runs %s', (_, [file, call]) => {
  expect(readFileSync(file, 'utf8')).toContain(call)
})
