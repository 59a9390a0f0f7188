import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import app from '../../src/app.ts'
import { variables } from '../../src/env.ts'
import { doorsOf } from '../../src/http/door.ts'
import { statusOf } from '../../src/http/errors.ts'

const readme = readFileSync('README.md', 'utf8')
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The API's own; of pages and their forms, the README tells in a sentence. */
const endpoints = doorsOf(app)
  .filter(({ path }) => !/^\/($|sign-in|sign-out|settings)/.test(path))
  .map(({ method, path }) => ({ endpoint: `${method} ${path.replace(/:(\w+)/g, '<$1>')}` }))

it.each(endpoints)('tells of the endpoint $endpoint', ({ endpoint }) => {
  expect(readme).toContain(`\`${endpoint}\``)
})

it.each(Object.entries(statusOf))('tells of the error code %s', (code, status) => {
  expect(readme).toMatch(new RegExp(`^\\| ${status} \\|.*\`${code}\``, 'm'))
})

it.each(variables)('tells of the variable %s', (name) => {
  expect(readme).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'))
})

it('tells only of commands that there are', () => {
  const named = [...readme.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name)
  expect(named.filter((name) => name && !(name in scripts))).toEqual([])
})
