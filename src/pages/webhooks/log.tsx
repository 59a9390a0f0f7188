import type { WebhookMessage } from '../../events/answers.ts'
import { eventMeanings } from '../../events/event.ts'
import { type MessageState, messageStates, type Webhook } from '../../events/schema.ts'
import { Submit } from '../components/button.tsx'
import { Pager, pathWith, Tabs } from '../components/navigation.tsx'
import { plural } from '../components/numbers.ts'
import { Rows } from '../components/rows.tsx'
import { Time, When } from '../components/time.tsx'

export type LogProps = {
  webhook: Webhook
  log: { messages: WebhookMessage[]; nextCursor: string | null }
  /** Which messages are shown; undefined for all. */
  state: MessageState | undefined
  isFirstPage: boolean
}

/** The messages of an endpoint, newest first. */
export const Log = ({ webhook, log, state, isFirstPage }: LogProps) => (
  <section class="flow">
    <h3 id="log">Messages of the last 30 days</h3>
    <Tabs
      label="Messages"
      tabs={[undefined, ...messageStates].map((tab) => [
        logPath(webhook, { state: tab }),
        tab ? stateNames[tab] : 'All',
        tab === state,
      ])}
    />
    <Rows
      items={log.messages}
      empty={
        isFirstPage && !log.nextCursor ? 'There are no such messages yet.' : 'None on this page.'
      }
      labelledby="log"
      isOrdered
      row={(message) => <Message webhook={webhook} message={message} />}
    />
    <Pager
      noun="messages"
      to={(page) => logPath(webhook, { state, ...page })}
      isFirstPage={isFirstPage}
      next={log.nextCursor !== null && { cursor: log.nextCursor }}
    />
  </section>
)

const stateNames: Record<MessageState, string> = {
  waiting: 'Waiting',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

const logPath = ({ id }: Webhook, query: { state: MessageState | undefined }) =>
  `${pathWith(`/settings/webhooks/${id}`, query)}#log`

type Attempt = WebhookMessage['attempts'][number]
type MessageProps = { webhook: Webhook; message: WebhookMessage }

const Message = ({ webhook, message }: MessageProps) => (
  <li class="row">
    <div class="row-head">
      <h4>{eventMeanings[message.type].split(':')[0]}</h4>
      <span class={message.state === 'failed' ? 'problem' : undefined}>
        {stateNames[message.state]}
      </span>
    </div>
    <p class="meta">
      <span>
        <Time at={message.createdAt} />
      </span>
      <span>{message.type}</span>
      {message.orderId && <span>Order {message.orderId}</span>}
      {message.dueAt && <When what="Next attempt" at={message.dueAt} />}
    </p>
    {webhook.enabled && webhook.verifiedAt && message.state !== 'waiting' && (
      <form
        method="post"
        action={`/settings/webhooks/${webhook.id}/messages/${message.id}/resend`}
        class="actions"
      >
        <Submit kind="small">
          Resend<span class="visually-hidden"> {message.id}</span>
        </Submit>
      </form>
    )}
    <details>
      <summary>
        {message.attempts.length > 0 ? plural(message.attempts.length, 'attempt') : 'Message'}
        <span class="visually-hidden"> of {message.id}</span>
      </summary>
      <Attempts message={message} />
      <pre class="code" tabindex={0}>
        <code>{JSON.stringify(message.payload, null, 2)}</code>
      </pre>
      <p class="meta">{message.id}</p>
    </details>
  </li>
)

/** `it answered 200 (35 ms)`. */
export const describeAttempt = ({ status, duration, error }: Attempt): string =>
  `${error ?? `it answered ${status}`} (${duration} ms)`

const Attempts = ({ message: { attempts } }: Omit<MessageProps, 'webhook'>) =>
  attempts.length === 0 ? null : (
    <ol class="list">
      {attempts.map((attempt) => (
        <li>
          <Time at={attempt.at} />: {describeAttempt(attempt)}
        </li>
      ))}
    </ol>
  )
