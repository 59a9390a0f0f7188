import {
  type MessageState,
  messageStates,
  type Webhook,
  type WebhookMessage,
} from '../../webhooks/schema.ts'
import { plural } from '../components/numbers.ts'
import { Time } from '../components/time.tsx'
import { currentIf } from '../header.tsx'

export type LogProps = {
  webhook: Webhook
  log: { messages: WebhookMessage[]; nextCursor: string | null }
  /** Which messages are shown; undefined for all. */
  state: MessageState | undefined
  isFirstPage: boolean
  now: Date
}

/** The messages of an endpoint, newest first. */
export const Log = ({ webhook, log, state, isFirstPage, now }: LogProps) => (
  <section class="flow">
    <h3 id="log">Messages of the last 30 days</h3>
    <nav class="tabs" aria-label="Messages">
      <ul>
        {[undefined, ...messageStates].map((tab) => (
          <li>
            <a href={logPath(webhook, { state: tab })} {...currentIf(tab === state)}>
              {tab ? stateNames[tab] : 'All'}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {log.messages.length === 0 ? (
      <p class="empty">
        {isFirstPage && !log.nextCursor ? 'There are no such messages yet.' : 'None on this page.'}
      </p>
    ) : (
      <ol class="rows" aria-labelledby="log">
        {log.messages.map((message) => (
          <Message webhook={webhook} message={message} now={now} />
        ))}
      </ol>
    )}
    <p class="actions">
      {!isFirstPage && (
        <a class="button" href={logPath(webhook, { state })}>
          Newest messages
        </a>
      )}
      {log.nextCursor && (
        <a class="button" href={logPath(webhook, { state, cursor: log.nextCursor })}>
          Older messages
        </a>
      )}
    </p>
  </section>
)

const stateNames: Record<MessageState, string> = {
  waiting: 'Waiting',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

function logPath(
  { id }: Webhook,
  { state, cursor }: { state: MessageState | undefined; cursor?: string },
) {
  const query = new URLSearchParams({ ...(state && { state }), ...(cursor && { cursor }) })
  return `/settings/webhooks/${id}${query.size > 0 ? `?${query}` : ''}#log`
}

type MessageProps = { webhook: Webhook; message: WebhookMessage; now: Date }

const Message = ({ webhook, message, now }: MessageProps) => (
  <li class="row">
    <div class="row-head">
      <h4>{message.type}</h4>
      <span class={message.state === 'failed' ? 'problem' : undefined}>
        {stateNames[message.state]}
      </span>
    </div>
    <p class="meta">
      <span>
        <Time at={message.createdAt} now={now} />
      </span>
      {message.orderId && <span>Order {message.orderId}</span>}
      {message.dueAt && (
        <span>
          Next attempt <Time at={message.dueAt} now={now} />
        </span>
      )}
    </p>
    {webhook.enabled && webhook.verifiedAt && (
      <form
        method="post"
        action={`/settings/webhooks/${webhook.id}/messages/${message.id}/resend`}
        class="actions"
      >
        <button class="button small" type="submit">
          Resend<span class="visually-hidden"> {message.id}</span>
        </button>
      </form>
    )}
    <details>
      <summary>
        {message.attempts.length > 0 ? plural(message.attempts.length, 'attempt') : 'Message'}
        <span class="visually-hidden"> of {message.id}</span>
      </summary>
      <Attempts message={message} now={now} />
      <pre class="code" tabindex={0}>
        <code>{JSON.stringify(message.payload, null, 2)}</code>
      </pre>
      <p class="meta">{message.id}</p>
    </details>
  </li>
)

const Attempts = ({ message: { attempts }, now }: Omit<MessageProps, 'webhook'>) =>
  attempts.length === 0 ? null : (
    <ol class="list">
      {attempts.map(({ at, status, duration, error }) => (
        <li>
          <Time at={at} now={now} />: {error ?? `it answered ${status}`} ({duration} ms)
        </li>
      ))}
    </ol>
  )
