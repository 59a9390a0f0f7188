import type { readWebhookPage } from '../../webhooks/read.ts'
import { Confirm } from '../components/confirm.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { Field } from '../components/field.tsx'
import { Time } from '../components/time.tsx'
import { type Notice, SettingsPage, SignInAgain } from '../settings.tsx'
import { type RejectedForm, WebhookFields } from './form.tsx'
import { Log, type LogProps } from './log.tsx'
import { WebhookState } from './state.tsx'

type WebhookDetailsProps = Omit<Awaited<ReturnType<typeof readWebhookPage>>, 'secretId'> &
  Pick<LogProps, 'state' | 'isFirstPage' | 'now'> & {
    /** `whsec_…`; undefined if the user has not signed in a short time ago. */
    secret: string | undefined
    notice: Notice | undefined
    form: RejectedForm | undefined
  }

type Webhook = WebhookDetailsProps['webhook']

/** One webhook, with its secret and its log. */
export const WebhookDetails = ({ webhook, secret, form, ...props }: WebhookDetailsProps) => {
  const { now } = props
  return (
    <SettingsPage section="webhooks" notice={props.notice}>
      <p class="meta">
        <a href="/settings/webhooks">Your webhooks</a>
      </p>
      <div class="row-head">
        <h2>{webhook.url}</h2>
        {webhook.role === 'master' && <span class="badge strong">All orders</span>}
      </div>
      <p class="meta">
        <WebhookState webhook={webhook} now={now} />
        <span>
          Created <Time at={webhook.createdAt} now={now} />
        </span>
      </p>
      {!webhook.verifiedAt && (
        <p class="hint">
          Events are sent once your program has answered a test with its challenge. The guide{' '}
          <a href="/docs/webhooks">Webhooks</a> shows how.
        </p>
      )}
      <div class="actions">
        {webhook.enabled && <Send webhook={webhook} now={now} />}
        {secret && <Delete webhook={webhook} />}
      </div>
      {secret ? (
        <>
          <Secret webhook={webhook} secret={secret} now={now} />
          <ChangeForm webhook={webhook} form={form} />
        </>
      ) : (
        <section class="panel">
          <SignInAgain
            toDo="see the secret, or to change or delete the webhook"
            path={`/settings/webhooks/${webhook.id}`}
          />
        </section>
      )}
      <Log {...props} webhook={webhook} />
    </SettingsPage>
  )
}

const webhookPath = ({ id }: Webhook) => `/settings/webhooks/${id}`

/** Milliseconds before now at which a replay begins, unless the user changes it. */
const REPLAY = 60 * 60 * 1000

const Send = ({ webhook, now }: { webhook: Webhook; now: Date }) => (
  <>
    <form method="post" action={`${webhookPath(webhook)}/test`}>
      <button class="button small" type="submit">
        Send a test
      </button>
    </form>
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
          value={new Date(now.getTime() - REPLAY).toISOString().slice(0, 16)}
        />
      </Confirm>
    )}
  </>
)

const Delete = ({ webhook }: { webhook: Webhook }) => (
  <Confirm
    id="delete"
    label="Delete"
    title="Delete the webhook?"
    action={`${webhookPath(webhook)}/delete`}
    submit="Delete webhook"
  >
    <p>No more messages are sent, and the log is gone. This cannot be undone.</p>
  </Confirm>
)

const Secret = ({ webhook, secret, now }: { webhook: Webhook; secret: string; now: Date }) => {
  const { previousSecretUntil } = webhook
  return (
    <section class="panel">
      <CopyField id="secret" label="Secret" text={secret} rows={1} />
      {previousSecretUntil && previousSecretUntil > now.toISOString() && (
        <p class="hint">
          The previous secret also signs; this ends <Time at={previousSecretUntil} now={now} />.
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

const ChangeForm = ({ webhook, form }: { webhook: Webhook; form: RejectedForm | undefined }) => {
  const { values = webhook, problems = {} } = form ?? {}
  return (
    <form method="post" action={webhookPath(webhook)} class="panel">
      <h3>Change</h3>
      <WebhookFields values={values} problems={problems} hasAlarms={webhook.role === 'master'} />
      <label class="check">
        <input type="checkbox" name="enabled" checked={values.enabled} />
        Send events to this URL
      </label>
      <p class="actions">
        <button class="button primary" type="submit">
          Save
        </button>
      </p>
    </form>
  )
}
