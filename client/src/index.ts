export { createClient, type MarketplaceClient } from './client.ts'
export type { WaitOptions } from './delivery.ts'
export {
  ApiError,
  type ApiErrorOf,
  DeliveryFailedError,
  DeliveryTimeoutError,
  OrderReplacedError,
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts'
export type { Retry, RetryOptions } from './retry.ts'
export type { components } from './schema.ts'
export type { ClientOptions } from './transport.ts'
export type {
  Answer,
  CallOptions,
  ErrorCode,
  Input,
  Issue,
  IssueOf,
  MarketplaceEvent,
  NewOrder,
  OperationId,
  Order,
  OrderItem,
  OrderState,
  OrderSummary,
  PlacedOrder,
  WebhookEvent,
} from './types.ts'
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts'
