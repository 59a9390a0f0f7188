/** A node that lies, in front of one that does not. */
import { keccak256 } from 'viem'
import { type Answer, type Call, type Kind, nameOf, type TargetName } from './calls.ts'
import { type StoryName, stories } from './stories.ts'
import type { Scene, Story } from './story.ts'
import { type TransportName, transports } from './transport.ts'
import { type Facts, MISSING, Refusal, values } from './values.ts'

/** How many occasions a lie lets pass, and on how many it is told. */
type Occasions = { skip: number; times: number }

export type Lie =
  | (Occasions & {
      /** A field of an answer. */
      target: TargetName
      path: string
      kind: Kind
      value: string
      draw: number
      /** Whether a broadcast does not reach the node. */
      isSwallowed?: boolean
    })
  | (Occasions & { transport: TransportName })
  /** It is told until the end of the case. */
  | { story: StoryName; draw: number }

type Active = { lie: Lie; story: Story | null; seen: number; told: number }

/** `send` sends calls to the node. What the Worker asks is added to `asked`. */
export function aLiar(send: (calls: readonly Call[]) => Promise<Answer[]>, asked: Set<TargetName>) {
  let active: Active[] = []
  let facts: Omit<Facts, 'draw' | 'call' | 'answers'> | null = null
  const overflows: string[] = []
  const unknown = new Set<string>()

  /** Whether the lie is told at this occasion. */
  function isDue(entry: Active): boolean {
    const { lie } = entry
    if ('story' in lie) return true
    entry.seen++
    return entry.seen > lie.skip && entry.told < lie.times
  }

  async function answer(body: string): Promise<Response> {
    const parsed: Call | Call[] = JSON.parse(body)
    const calls = [parsed].flat()
    for (const call of calls) {
      const name = nameOf(call)
      if (name) asked.add(name)
      else unknown.add(describeCall(call))
    }
    const told = active
    // Each call is an occasion for each lie about it.
    const due = new Map(
      calls.map((call) => [
        call.id,
        told.filter(({ lie }) => 'target' in lie && lie.target === nameOf(call)).filter(isDue),
      ]),
    )
    const isSwallowed = (call: Call) =>
      due.get(call.id)?.some(({ lie }) => 'target' in lie && lie.isSwallowed) ?? false
    const forwarded: Call[] = []
    for (const call of calls) {
      let changed: Call | null = isSwallowed(call) ? null : call
      for (const { story } of told)
        if (changed && story?.forward) changed = await story.forward(changed)
      if (changed) forwarded.push(changed)
    }
    const received = forwarded.length === 0 ? [] : await send(forwarded)
    const byId = new Map(received.map((one) => [one.id, one]))
    const answers: Answer[] = []
    for (const call of calls) {
      const { id } = call
      const none = { jsonrpc: '2.0', id, result: resultOfSwallowed(call) } as const
      answers.push(await change(call, byId.get(id) ?? none, due.get(id) ?? [], answers))
    }
    const broken = told.find((entry) => 'transport' in entry.lie && isDue(entry))
    if (broken && 'transport' in broken.lie) {
      broken.told++
      const { transport } = broken.lie
      return transports[transport](answers, () => overflows.push(transport))
    }
    return Response.json(Array.isArray(parsed) ? answers : answers[0])
  }

  /** Tells what is to be told about a call. */
  async function change(
    call: Call,
    truth: Answer,
    due: readonly Active[],
    answers: readonly Answer[],
  ): Promise<Answer> {
    if (!facts) return truth
    let told = truth
    for (const entry of active) {
      if (!entry.story?.change || 'error' in told) continue
      const result = await entry.story.change(call, told.result)
      if (result !== told.result) entry.told++
      told = withResult(told, result)
    }
    for (const entry of due) {
      const { lie } = entry
      if (!('target' in lie) || 'error' in told) continue
      const own = { ...facts, draw: lie.draw, call, answers }
      const result = await replaceAt(told.result, lie.path, lie.draw, (old) =>
        findValue(lie.kind, lie.value)(old, own),
      )
      // There is no such field in this answer.
      if (result === NOWHERE) continue
      entry.told++
      told = withResult(told, result)
    }
    return told
  }

  return {
    answer,
    /** Texts about what the Worker read to the end that no Worker has memory for. */
    overflows,
    /** Calls for which there is no lie. */
    unknown,
    /** Begins to lie. */
    start(lies: readonly Lie[], scene: Omit<Scene, 'draw'>) {
      facts = scene
      active = lies.map((lie) => ({
        lie,
        story: 'story' in lie ? stories[lie.story]({ ...scene, draw: lie.draw }) : null,
        seen: 0,
        told: 0,
      }))
    },
    /** Tells the truth from now on. */
    stop() {
      const told = active.map((entry) => entry.told)
      active = []
      return told
    },
    /** Whether nothing is left to be told. */
    isOver: () => active.every(({ lie, told }) => 'times' in lie && told >= lie.times),
  }
}

function findValue(kind: Kind, name: string) {
  const value = values[kind][name]
  if (!value) throw new Error(`there is no value "${name}" for ${kind}`)
  return value
}

/** A node answers a broadcast that it does not pass on as if it had. */
const resultOfSwallowed = ({ method, params }: Call) =>
  method === 'eth_sendRawTransaction' ? keccak256(`${params?.[0]}` as `0x${string}`) : null

function withResult({ jsonrpc, id }: Answer, result: unknown): Answer {
  if (result instanceof Refusal) return { jsonrpc, id, error: result.error }
  return result === MISSING ? { jsonrpc, id } : { jsonrpc, id, result }
}

const NOWHERE = Symbol('nowhere')

/** Returns a copy of a value in which what is at the path is another one. */
async function replaceAt(
  value: unknown,
  path: string,
  draw: number,
  change: (old: unknown) => unknown,
): Promise<unknown> {
  if (path === '') return change(value)
  const [first = '', ...rest] = path.split('.')
  if (typeof value !== 'object' || value === null) return NOWHERE
  if (Array.isArray(value)) {
    const at = first === '*' ? draw % Math.max(1, value.length) : Number(first)
    if (!(at in value)) return NOWHERE
    const inner = await replaceAt(value[at], rest.join('.'), draw, change)
    if (inner === NOWHERE || inner instanceof Refusal) return inner
    return inner === MISSING ? value.toSpliced(at, 1) : value.with(at, inner)
  }
  // A field may be one that this node does not have.
  const fields: Record<string, unknown> = { ...value }
  const inner = await replaceAt(fields[first], rest.join('.'), draw, change)
  if (inner === NOWHERE || inner instanceof Refusal) return inner
  if (inner === MISSING) delete fields[first]
  else fields[first] = inner
  return fields
}

const describeCall = ({ method, params }: Call) =>
  method === 'eth_call' ? `${method} ${`${Object(params?.[0]).data}`.slice(0, 10)}` : method

const occasions = ({ skip, times }: Occasions) =>
  `${times === Infinity ? 'for ever' : times === 1 ? 'once' : `${times} times`}${skip > 0 ? `, after ${skip} true ones` : ''}`

/** Describes a lie in words. */
export function describeLie(lie: Lie): string {
  if ('story' in lie) return `it ${lie.story} (${lie.draw})`
  if ('transport' in lie) return `${lie.transport} (${occasions(lie)})`
  const { target, path, value, draw, isSwallowed } = lie
  const what = [target, path].filter(Boolean).join(' → ')
  const lost = isSwallowed ? ', and the transaction is swallowed' : ''
  return `${what}: ${value} (${draw}; ${occasions(lie)})${lost}`
}
