/** What the methods take and return, derived from the types of the OpenAPI document. */
import type { components, Methods, webhooks } from './schema.ts'

export type OperationId = keyof Methods

/** The keys of `T`, or none if the operation has no such parameters. */
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>

/** A file. */
export type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>

type JsonBody<C> = C extends { 'application/json': infer T } ? T : never
type FormBody<C> = C extends { 'multipart/form-data': infer T } ? { [K in keyof T]: Blob } : never
type BytesBody<C> = keyof C extends 'application/json' | 'multipart/form-data' ? never : Bytes
type Body<O> = O extends { requestBody: { content: infer C } }
  ? { body: JsonBody<C> | FormBody<C> | BytesBody<C> }
  : unknown

type ParametersOf<O> = O extends { parameters: infer P } ? P : never
type PathOf<O> = ParametersOf<O> extends { path?: infer T } ? Fields<T> : unknown
type QueryOf<O> = ParametersOf<O> extends { query?: infer T } ? Fields<T> : unknown
type HeadersOf<O> = ParametersOf<O> extends { header?: infer T } ? NonNullable<T> : never

type Parts<O> = PathOf<O> & QueryOf<O> & Body<O>

/** The parameters of the path and of the query, and the body. */
export type Input<Id extends OperationId> =
  unknown extends Parts<Methods[Id]> ? Record<string, never> : Parts<Methods[Id]>

export type TimeoutOptions = {
  /** Milliseconds that a call may take with all its attempts and waits. 2 minutes by default. */
  timeout?: number | undefined
  /** Milliseconds that an attempt may take, until its whole response is there. 30 seconds by default. */
  attemptTimeout?: number | undefined
}

export type CallOptions<Id extends OperationId = OperationId> = TimeoutOptions & {
  /** Ends the call, also while it waits for its next attempt. */
  signal?: AbortSignal | undefined
  /** Headers of the operation, such as `idempotency-key`. */
  headers?: HeadersOf<Methods[Id]> | undefined
}

type ResponsesOf<Id extends OperationId> = Methods[Id]['responses']

/** What the headers of an answer say of its order. Null if the answer has several. */
export type OrderState = {
  /** The name of the token that placed the order: `source` of its events. */
  source: string | null
  /** At least the `sequence` of each event that led to what was read. */
  sequence: number | null
}

/** The operations whose answers have an `OrderState`. */
export type OrderStateId = 'getOrders' | 'putOrder'

/** A successful response: parsed JSON, nothing, or a file. */
export type Answer<Id extends OperationId> = Id extends 'listEvents'
  ? Omit<Schemas['EventPage'], 'events'> & { events: MarketplaceEvent[] }
  : BodyOf<Id> & (Id extends OrderStateId ? OrderState : unknown)

type BodyOf<Id extends OperationId> =
  ResponsesOf<Id> extends { 200: { content: { 'application/json': infer T } } }
    ? T
    : ResponsesOf<Id> extends { 204: unknown }
      ? undefined
      : Blob

/** The answer to this input: `fields: 'summary'` lists summaries of orders instead of orders. */
export type AnswerTo<Id extends OperationId, I> = Id extends 'listOrders'
  ? I extends { fields: 'summary' }
    ? Schemas['OrderSummaryPage']
    : Schemas['OrderPage']
  : Answer<Id>

export type ListOrders = <const I extends Input<'listOrders'>>(
  input?: I,
  options?: CallOptions<'listOrders'>,
) => Promise<AnswerTo<'listOrders', I>>

export type Method<Id extends OperationId> = (
  ...args: Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions<Id>]
    : [input: Input<Id>, options?: CallOptions<Id>]
) => Promise<Answer<Id>>

type Schemas = components['schemas']

/** The body of an error. */
export type ErrorBody = Schemas['ApiError']
/** Every code of an error. Later versions of the API may have more. */
export type ErrorCode = Schemas['ErrorCode']
/** One thing that is wrong with a request. `path` names the field, such as `orders[2].quantity`. */
export type Issue = Schemas['Issue']
type WithCode<I, C> = I extends { code: ErrorCode }
  ? C extends I['code']
    ? I & { code: C }
    : never
  : never
/** An issue with this code. */
export type IssueOf<C extends ErrorCode> = WithCode<Issue, C>
export type NewOrder = Schemas['NewOrder']
export type PlacedOrder = Schemas['PlacedOrder']
export type Order = Schemas['Order']
export type OrderItem = Schemas['OrderItem']
export type OrderSummary = Schemas['OrderSummary']

type RequestOf<T> = T extends {
  post: { requestBody: { content: { 'application/json': infer B } } }
}
  ? B
  : never

/** The body of a message to an endpoint. `type` says what `data` has. Later versions may have more. */
export type WebhookEvent = RequestOf<webhooks[keyof webhooks]>

type WithId<E> = E extends WebhookEvent ? { id: string } & E : never
/** An event and its id, the same in the message and in the log (`webhook-id`). */
export type MarketplaceEvent = WithId<WebhookEvent>
