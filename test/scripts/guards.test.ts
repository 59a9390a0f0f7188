/** That a guard breaks the one check that it names. */
import { expect, it } from 'vitest'
import { breakCheck } from '../../scripts/measure/guards/break.ts'
import type { Broken } from '../guards/guard.ts'

const brokenIn = (file: string, source: string, broken: Broken) =>
  breakCheck({ name: '', code: `${file}: act`, broken, test: 'test/a.test.ts: works' }, source)

it.each<[string, string, Broken, string]>([
  ['a.ts', 'if (a && !b) go()', { condition: 'b', becomes: false }, 'if (a && false) go()'],
  ['a.ts', 'if (a && !b) go()', { condition: 'a b', becomes: true }, 'if (true) go()'],
  ['a.ts', 'return (a ?? b) + c', { condition: 'a', becomes: null }, 'return (null ?? b) + c'],
  ['a.ts', 'return and(eq(a), b)', { condition: 'a', becomes: true }, 'return and(true, b)'],
  [
    'a.ts',
    `sql\`(SELECT a FROM b WHERE \${c(d)} OR (e = f AND NOT g)) LIMIT 1\``,
    { condition: 'g', becomes: true },
    `sql\`(SELECT a FROM b WHERE \${c(d)} OR (e = f AND true)) LIMIT 1\``,
  ],
  ['a.ts', 'go([a, b(c)])', { without: 'b' }, 'go([a, ...[]])'],
  ['a.ts', 'go({ a: 1, b })', { without: 'a' }, 'go({ ...{}, b })'],
  ['a.ts', 'return check(a, b).c', { call: 'check' }, 'return a.c'],
  [
    'a.sol',
    'if (a(b) == 0) revert C();',
    { condition: 'b', becomes: false },
    'if (false) revert C();',
  ],
  ['a.sol', 'go(); // a;\n        b = c(d);', { without: 'c' }, 'go(); // a;\n        '],
])('in %s, %s', (file, before, broken, after) => {
  const inFunction = (body: string) => `function act(e) {\n        ${body}\n    }\n`
  expect(brokenIn(file, inFunction(before), broken)).toBe(inFunction(after))
})

it('leaves out the modifier of a function', () => {
  const source = 'function act() external onlyOwner {\n        go();\n    }'
  expect(brokenIn('a.sol', source, { without: 'onlyOwner' })).toBe(source.replace('onlyOwner', ''))
})

it('does not choose among several', () => {
  const source = 'const act = () => { if (a > b) go(); if (a < c) go() }; const other = a'
  const condition = (text: string) => brokenIn('a.ts', source, { condition: text, becomes: true })
  expect(() => condition('a')).toThrow('2 times "a" in a.ts: act')
  expect(() => condition('d')).toThrow('0 times "d" in a.ts: act')
  expect(condition('a b')).toContain('if (true) go(); if (a < c)')
})
