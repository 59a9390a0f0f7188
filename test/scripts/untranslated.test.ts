/** Pages in the language of their reader take from `src/texts/` what they say. */
import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'

const ENGLISH = /\/(api-access|docs|webhooks)\//

/** Attributes and properties that are read. */
const spoken =
  /^(alt|aria-label|description|empty|hint|label|name|noun|placeholder|subject|submit|title|toDo|what)$/

/** The names of fields, and what an address begins with. */
const isText = (text: string, name = '') =>
  /\p{L}/u.test(text) && !(name === 'name' && /^[a-z][\w:-]*$/.test(text)) && text !== 'https://'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Returns the literals that an expression may have as its value. */
function literalsOf(node: unknown): string[] {
  if (!isObject(node)) return []
  if (node.type === 'JSXText' || node.type === 'Literal') return [node.value].filter(isString)
  if (node.type === 'TemplateLiteral')
    return [node.quasis].flat().map((part) => Object(part).value.cooked)
  const parts = [node.expression, node.consequent, node.alternate, node.left, node.right]
  const isValue = /^(JSXExpressionContainer|ConditionalExpression|LogicalExpression)$/
  return isValue.test(String(node.type)) ? parts.flatMap(literalsOf) : []
}

const isString = (value: unknown) => typeof value === 'string'

/** Returns the texts in the JSX and in what is read of a program. */
function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn)
  if (!isObject(node)) return []
  const inner = Object.values(node).flatMap(textsIn)
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return [
      ...[node.children]
        .flat()
        .flatMap(literalsOf)
        .filter((text) => isText(text)),
      ...inner,
    ]
  if (node.type !== 'JSXAttribute' && node.type !== 'Property') return inner
  const { name } = Object(node.type === 'Property' ? node.key : node.name)
  const own = spoken.test(name) ? literalsOf(node.value).filter((text) => isText(text, name)) : []
  return [...own, ...inner]
}

const find = (name: string, code: string) => textsIn(parseSync(name, code).program)

it('finds what a page says', () => {
  const code = `const A = ({ a }) => <p title={a ? 'One' : 'x'} class="no">Two <b>{a && \`\${a} three\`}</b></p>
    page(c, { title: 'Four', section: 'no' })
    const B = <Field name="user" label="Five" placeholder="https://" hint={texts.six} />`
  expect(find('a.tsx', code)).toEqual(['Two ', 'One', 'x', ' three', 'Four', 'Five'])
})

it('says nothing but the texts on pages in the language of their reader', () => {
  const files = globSync('src/pages/**/*.tsx').filter((file) => !ENGLISH.test(file))
  const found = files.flatMap((file) =>
    find(file, readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`),
  )
  expect(files).toContain('src/pages/nfts/views.tsx')
  expect(found).toEqual([])
})
