export { createClient, type MarketplaceClient } from './client.ts'
export type { WaitOptions } from './delivery.ts'
export { ApiError, DeliveryFailedError, DeliveryTimeoutError } from './errors.ts'
export type { RetryOptions } from './retry.ts'
export type { components } from './schema.ts'
export type { ClientOptions } from './transport.ts'
export type {
  Answer,
  CallOptions,
  ErrorCode,
  Input,
  Issue,
  NewOrder,
  OperationId,
  Order,
  OrderItem,
  OrderSummary,
  PlacedOrder,
  WebhookEvent,
} from './types.ts'
