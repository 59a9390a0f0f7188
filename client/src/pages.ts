/** Iterates over the results of operations that return them in pages. */
import type { Send } from './transport.ts'
import type { Answer, AnswerTo, CallOptions, Input, OperationId } from './types.ts'

/** Lists have a cursor, the log of events a position. */
type Paged = { nextCursor: string | null } | { nextAfter: string | null; hasMore: boolean }

/** The operations that return their results in pages. */
type PagedId = { [Id in OperationId]: Answer<Id> extends Paged ? Id : never }[OperationId]

/** What a page has besides the position and `error`, which is always null. */
type Content<Page> = Omit<Page, 'nextCursor' | 'nextAfter' | 'hasMore' | 'error'>
type ItemOf<Page> = Content<Page>[keyof Content<Page>] extends readonly (infer Item)[]
  ? Item
  : never

/** The operations whose pages are one list. */
type ListId = { [Id in PagedId]: [ItemOf<Answer<Id>>] extends [never] ? never : Id }[PagedId]

export type Pages = <Id extends PagedId, const I extends Input<Id>>(
  id: Id,
  input?: I,
  options?: CallOptions<Id>,
) => AsyncGenerator<AnswerTo<Id, I>, void>

export type Items = <Id extends ListId, const I extends Input<Id>>(
  id: Id,
  input?: I,
  options?: CallOptions<Id>,
) => AsyncGenerator<ItemOf<AnswerTo<Id, I>>, void>

export function createPages(send: Send): { pages: Pages; items: Items } {
  async function* pages<Id extends PagedId, I>(id: Id, input?: I, call?: CallOptions<Id>) {
    for (let next: object | undefined = {}; next; ) {
      const page = await send<AnswerTo<Id, I> & Paged>(id, { ...input, ...next }, call)
      yield page
      const last = JSON.stringify(next)
      next = nextInput(page)
      if (JSON.stringify(next) === last) throw new Error(`${id}: the next page is this one again`)
    }
  }
  async function* items<Id extends PagedId, I>(id: Id, input?: I, call?: CallOptions<Id>) {
    for await (const page of pages(id, input, call))
      yield* Object.values(page).find((value) => Array.isArray(value)) ?? []
  }
  return { pages, items }
}

/** Returns undefined after the last page. */
function nextInput(page: Paged): object | undefined {
  if ('nextCursor' in page)
    return page.nextCursor === null ? undefined : { cursor: page.nextCursor }
  // With a position, the time of the first call must not be sent.
  return page.hasMore ? { after: page.nextAfter, since: undefined } : undefined
}
