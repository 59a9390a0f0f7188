/** Finds what a guard may break in TypeScript, and in the SQL of its templates. */
import { type ESTree, parseSync, Visitor } from 'vite'
import { type Code, findConditions, type Part, type Span } from './text.ts'

const comparison = /^([=!]==?|[<>]=?|in|instanceof)$/

/** Functions of Drizzle whose arguments are conditions. */
const joins = /^(and|or|not)$/

export function readTypeScript(file: string, source: string): Code {
  const functions: Code['functions'] = []
  const conditions: Part[] = []
  const calls: Part[] = []
  const optional: Part[] = []

  const addFunction = ({ start, end }: Span, name: ESTree.Node | null) => {
    if (name?.type === 'Identifier') functions.push({ start, end, name: name.name })
  }
  const addCondition = (node: Span | null) => {
    if (node) conditions.push({ start: node.start, end: node.end })
  }
  const addTest = ({ test }: { test: Span | null }) => addCondition(test)
  /** What a call tells is a condition if it is kept or returned. */
  const addResult = (node: ESTree.Node | null) => {
    if (node?.type === 'CallExpression' || node?.type === 'AwaitExpression') addCondition(node)
  }
  const addOptional = ({ start, end }: Span, text: string) => optional.push({ start, end, text })
  const addStatement = (node: Span) => addOptional(node, '{}')

  new Visitor({
    FunctionDeclaration: (node) => addFunction(node, node.id),
    VariableDeclarator(node) {
      addFunction(node, node.id)
      addResult(node.init)
    },
    ArrowFunctionExpression: ({ body }) => addResult(body),
    ReturnStatement: ({ argument }) => addResult(argument),
    IfStatement: addTest,
    ConditionalExpression: addTest,
    WhileStatement: addTest,
    ForStatement: addTest,
    ForOfStatement: addStatement,
    ExpressionStatement: addStatement,
    LogicalExpression({ left, right }) {
      addCondition(left)
      addCondition(right)
    },
    BinaryExpression(node) {
      if (comparison.test(node.operator)) addCondition(node)
    },
    UnaryExpression(node) {
      if (node.operator === '!') addCondition(node)
    },
    CallExpression({ start, end, callee, arguments: [first, ...others] }) {
      if (!first) return
      calls.push({ start, end, text: source.slice(first.start, first.end) })
      if (callee.type === 'Identifier' && joins.test(callee.name))
        for (const argument of [first, ...others]) addCondition(argument)
    },
    ArrayExpression({ elements }) {
      for (const element of elements) if (element) addOptional(element, '...[]')
    },
    ObjectExpression({ properties }) {
      for (const property of properties) {
        addOptional(property, '...{}')
        // In a guard of a write.
        if (property.type === 'Property' && source.startsWith('when:', property.start))
          addCondition(property.value)
      }
    },
    TemplateLiteral({ start, end, expressions }) {
      const text = hideExpressions(source, expressions)
      conditions.push(...findConditions(text, { start: start + 1, end: end - 1 }))
    },
  }).visit(parseSync(file, source).program)
  return { functions, conditions, calls, optional }
}

/** Without what `${…}` has, nothing in it divides the SQL. */
const hideExpressions = (source: string, expressions: readonly Span[]): string =>
  expressions.reduce(
    (text, { start, end }) =>
      text.slice(0, start - 2) + 'x'.repeat(end - start + 3) + text.slice(end + 1),
    source,
  )
