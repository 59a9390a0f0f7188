/**
 * JSON-RPC 2.0 in batches: one HTTP call for a list of questions. Answers are matched by id, so
 * one that is missing or out of order is never taken for another's. What the node said (a result
 * or an error of its own) is kept apart from not having heard from it (a fault): only the former
 * may ever decide about a transfer.
 */
import * as z from 'zod'

export type Question = { method: string; params: readonly unknown[] }
export type NodeError = { code: number; message: string; data?: unknown }
export type Reply = { result: unknown } | { error: NodeError } | { fault: string }
/** Gives the reply to a question that was asked. */
export type Replies = (question: Question) => Reply

const TIMEOUT = 10_000

const answerSchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
})

export type Node = { rpcUrl: string; maxBatchCalls: number }

/** Asks all questions at once; the same question twice is asked once. Never throws. */
export async function call(node: Node, questions: readonly Question[]): Promise<Replies> {
  const distinct = new Map(questions.map((question) => [JSON.stringify(question), question]))
  const keys = [...distinct.keys()]
  const replies = new Map<string, Reply>()
  const calls: Promise<void>[] = []
  for (let i = 0; i < keys.length; i += node.maxBatchCalls) {
    const part = keys.slice(i, i + node.maxBatchCalls)
    calls.push(
      post(node.rpcUrl, part).then((answers) => {
        part.forEach((key, id) => {
          replies.set(key, Array.isArray(answers) ? replyOf(answers[id]) : answers)
        })
      }),
    )
  }
  await Promise.all(calls)
  return (question) => replies.get(JSON.stringify(question)) ?? { fault: 'not asked' }
}

type Answer = z.infer<typeof answerSchema>

/** One HTTP call: the answers by the position of their question, or why there are none. */
async function post(
  rpcUrl: string,
  questions: readonly string[],
): Promise<(Answer | undefined)[] | { fault: string }> {
  const body = questions.map((text, id) => `{"jsonrpc":"2.0","id":${id},${text.slice(1)}`)
  let response: Response
  try {
    response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `[${body.join(',')}]`,
      signal: AbortSignal.timeout(TIMEOUT),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return { fault: `the node answered with HTTP ${response.status}` }
    }
    const json: unknown = await response.json()
    if (!Array.isArray(json)) return { fault: 'the node refused the batch' }
    const answers: (Answer | undefined)[] = []
    for (const item of json) {
      const { success, data } = answerSchema.safeParse(item)
      if (success) answers[data.id] = data
    }
    return answers
  } catch (error) {
    // Not the error's own text: it may hold the URL, and the URL a key.
    const timedOut = error instanceof Error && error.name === 'TimeoutError'
    return { fault: timedOut ? 'the node did not answer in time' : 'the node cannot be reached' }
  }
}

function replyOf(answer: Answer | undefined): Reply {
  if (!answer) return { fault: 'the node left the question out' }
  if (answer.error) return { error: answer.error }
  return 'result' in answer ? { result: answer.result } : { fault: 'the node gave no result' }
}
