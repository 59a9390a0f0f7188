/** The page of a webhook: its state, its secret, its messages and its form. */

import { eventTexts } from '../../db/schema/webhooks.ts'
import type { readWebhookPage } from '../../events/messages.ts'
import {
  type MessageState,
  messageStates,
  type Webhook,
  type WebhookMessage,
} from '../../events/schema.ts'
import { idAfterNumber, orderNumber } from '../../orders/number.ts'
import { HOUR } from '../../time.ts'
import {
  Confirm,
  CopyField,
  Field,
  Notice,
  PostButton,
  Submit,
  Warning,
} from '../components/forms.tsx'
import { Menu, Pager, Rows } from '../components/lists.tsx'
import { type Found, usePage } from '../components/request.ts'
import { pathWith, plural, sentence } from '../components/text.ts'
import { Time, When } from '../components/values.tsx'
import { RecentSignIn } from '../settings.tsx'
import { WebhookFields, WebhookHead, type WebhookValues } from './views.tsx'

type WebhookDetailsProps = Omit<Found<typeof readWebhookPage>, 'secretId'> & {
  /** `whsec_…`; undefined if the user has not signed in a short time ago. */
  secret: string | undefined
  /** Which messages are shown; undefined for all. */
  state: MessageState | undefined
  /** Id of the test that was just sent. */
  test: string | undefined
}

export const WebhookDetails = (props: WebhookDetailsProps) => {
  const { webhook, log, secret, nextAt, problem, test } = props
  const { notice = '' } = usePage()
  const secretPanel = secret && <Secret webhook={webhook} secret={secret} />
  const isNewSecret = /created|rotated/.test(notice)
  const sent = log.messages.find(({ id }) => id === test)
  return (
    <>
      <p class="meta">
        <a href="/settings/webhooks">Your webhooks</a>
      </p>
      <WebhookHead webhook={webhook} heading="h2" />
      {sent && <TestResult attempt={sent.attempts.at(-1)} />}
      {webhook.enabled && webhook.failingSince && (
        <Warning>
          <span>
            Nothing has arrived since <Time at={webhook.failingSince} />.{' '}
            {problem && `${sentence(problem)} `}
            {nextAt && (
              <>
                Next attempt: <Time at={nextAt} />.
              </>
            )}
          </span>
        </Warning>
      )}
      {!webhook.verifiedAt && (
        <p class="hint">
          Events are sent once your program has answered a test with its challenge. The guide{' '}
          <a href="/docs/webhooks">Webhooks</a> shows how.
        </p>
      )}
      <div class="actions">
        {webhook.enabled && <Send webhook={webhook} />}
        {secret && (
          <Confirm
            id="delete"
            label="Delete"
            title="Delete the webhook?"
            action={`${webhookPath(webhook)}/delete`}
            submit="Delete webhook"
          >
            <p>No more messages are sent, and the log is gone. This cannot be undone.</p>
          </Confirm>
        )}
      </div>
      {isNewSecret && secretPanel}
      <Log {...props} />
      <RecentSignIn
        toDo="see the secret, or to change or delete the webhook"
        path={webhookPath(webhook)}
      >
        {!isNewSecret && secretPanel}
        <ChangeForm webhook={webhook} />
      </RecentSignIn>
    </>
  )
}

type Attempt = WebhookMessage['attempts'][number]

const TestResult = ({ attempt }: { attempt: Attempt | undefined }) => {
  if (!attempt)
    return <Notice kind="info">The test has no answer yet. Reload the page to see it.</Notice>
  const Outcome = attempt.error ? Warning : Notice
  return <Outcome>Test: {describeAttempt(attempt)}.</Outcome>
}

const webhookPath = ({ id }: Webhook) => `/settings/webhooks/${id}`

const Send = ({ webhook }: { webhook: Webhook }) => (
  <>
    <PostButton action={`${webhookPath(webhook)}/test`}>Send a test</PostButton>
    {webhook.verifiedAt && (
      <Confirm
        id="replay"
        label="Replay"
        title="Send messages again?"
        action={`${webhookPath(webhook)}/replay`}
        submit="Send again"
      >
        <p>
          All messages since this time are sent again, including those that were delivered. Your
          program recognizes them by their <code class="code">webhook-id</code>.
        </p>
        <Field
          name="since"
          label="Since (UTC)"
          type="datetime-local"
          required
          value={new Date(usePage().now.getTime() - HOUR).toISOString().slice(0, 16)}
        />
      </Confirm>
    )}
  </>
)

const Secret = ({ webhook, secret }: { webhook: Webhook; secret: string }) => {
  const { previousSecretUntil } = webhook
  return (
    <section class="panel">
      <CopyField id="secret" label="Secret" text={secret} rows={1} />
      {previousSecretUntil && previousSecretUntil > usePage().now.toISOString() && (
        <p class="hint">
          The previous secret also signs; this ends <Time at={previousSecretUntil} />.
        </p>
      )}
      <div class="actions">
        <Confirm
          id="rotate"
          label="Rotate the secret"
          title="Rotate the secret?"
          action={`${webhookPath(webhook)}/rotate`}
          submit="Rotate"
        >
          <p>
            The webhook gets a new secret. For 24 hours, messages are signed with the old one as
            well, so that your program can change over.
          </p>
        </Confirm>
      </div>
    </section>
  )
}

const ChangeForm = ({ webhook }: { webhook: Webhook }) => {
  const values: WebhookValues = { ...webhook, ...usePage().rejection?.values }
  return (
    <form method="post" action={webhookPath(webhook)} class="panel">
      <h3>Change</h3>
      <WebhookFields values={values} hasAlarms={webhook.role === 'master'} />
      <label class="check">
        <input type="checkbox" name="enabled" checked={values.enabled} />
        Send events to this URL
      </label>
      <p class="actions">
        <Submit kind="primary">Save</Submit>
      </p>
    </form>
  )
}

const Log = ({ webhook, log, state }: WebhookDetailsProps) => (
  <section class="flow">
    <h3 id="log">Messages of the last 30 days</h3>
    <Menu
      label="Messages"
      links={[undefined, ...messageStates].map((tab) => [
        logPath(webhook, tab),
        tab ? stateNames[tab] : 'All',
      ])}
      current={logPath(webhook, state)}
      isTabs
    />
    <Rows
      items={log.messages}
      empty={
        usePage().isFirstPage && !log.nextCursor
          ? 'There are no such messages yet.'
          : 'None on this page.'
      }
      labelledby="log"
      isOrdered
      row={(message) => <Message webhook={webhook} message={message} />}
    />
    <Pager
      noun="messages"
      path={`${webhookPath(webhook)}#log`}
      query={{ state }}
      next={{ cursor: log.nextCursor }}
    />
  </section>
)

const logPath = (webhook: Webhook, state: MessageState | undefined) =>
  pathWith(`${webhookPath(webhook)}#log`, { state })

const stateNames: Record<MessageState, string> = {
  waiting: 'Waiting',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

type MessageOrderProps = { id: number; payload: WebhookMessage['payload'] }

const MessageOrder = ({ id, payload: { data } }: MessageOrderProps) => {
  const order = { id, providerId: typeof data.providerId === 'string' ? data.providerId : null }
  return (
    <span>
      Order <bdi>{orderNumber(order)}</bdi>
      {idAfterNumber(order)}
    </span>
  )
}

const Message = ({ webhook, message }: { webhook: Webhook; message: WebhookMessage }) => (
  <li class="row">
    <div class="row-head">
      <h4>{eventTexts[message.type].meaning.split(':')[0]}</h4>
      <span class={message.state === 'failed' ? 'problem' : undefined}>
        {stateNames[message.state]}
      </span>
    </div>
    <p class="meta">
      <span>
        <Time at={message.createdAt} />
      </span>
      <span>{message.type}</span>
      {message.orderId && <MessageOrder id={message.orderId} payload={message.payload} />}
      {message.dueAt && <When what="Next attempt" at={message.dueAt} />}
    </p>
    {webhook.enabled && webhook.verifiedAt && message.state !== 'waiting' && (
      <PostButton action={`${webhookPath(webhook)}/messages/${message.id}/resend`}>
        Resend<span class="visually-hidden"> {message.id}</span>
      </PostButton>
    )}
    <details>
      <summary>
        {message.attempts.length > 0 ? plural(message.attempts.length, 'attempt') : 'Message'}
        <span class="visually-hidden"> of {message.id}</span>
      </summary>
      {message.attempts.length > 0 && (
        <ol class="list">
          {message.attempts.map((attempt) => (
            <li>
              <Time at={attempt.at} />: {describeAttempt(attempt)}
            </li>
          ))}
        </ol>
      )}
      <pre class="code" tabindex={0}>
        <code>{JSON.stringify(message.payload, null, 2)}</code>
      </pre>
      <p class="meta">{message.id}</p>
    </details>
  </li>
)

/** `it answered 200 (35 ms)`. */
const describeAttempt = ({ status, duration, error }: Attempt): string =>
  `${error ?? `it answered ${status}`} (${duration} ms)`
