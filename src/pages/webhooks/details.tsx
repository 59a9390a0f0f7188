import type { WebhookMessage } from '../../events/answers.ts'
import type { Webhook } from '../../events/schema.ts'
import { PostButton, Submit } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { Field, sentence } from '../components/field.tsx'
import { Notice, Warning } from '../components/notice.tsx'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'
import { RecentSignIn, SettingsPage } from '../settings.tsx'
import { type RejectedForm, WebhookFields } from './form.tsx'
import { describeAttempt, Log, type LogProps } from './log.tsx'
import { WebhookHead } from './state.tsx'

type WebhookDetailsProps = LogProps & {
  /** `whsec_…`; undefined if the user has not signed in a short time ago. */
  secret: string | undefined
  /** When it is sent to next, and why the last attempt failed. */
  nextAt: string | null
  problem: string | null
  /** Id of the test that was just sent. */
  test: string | undefined
  form: RejectedForm | undefined
}

/** One webhook, with its secret and its log. */
export const WebhookDetails = (props: WebhookDetailsProps) => {
  const { webhook, secret, form, nextAt, problem, test, ...log } = props
  const { notice = '' } = usePage()
  const secretPanel = secret && <Secret webhook={webhook} secret={secret} />
  const isNewSecret = /created|rotated/.test(notice)
  const sent = log.log.messages.find(({ id }) => id === test)
  return (
    <SettingsPage section="webhooks">
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
        {secret && <Delete webhook={webhook} />}
      </div>
      {isNewSecret && secretPanel}
      <Log {...log} webhook={webhook} />
      <RecentSignIn
        toDo="see the secret, or to change or delete the webhook"
        path={webhookPath(webhook)}
      >
        {!isNewSecret && secretPanel}
        <ChangeForm webhook={webhook} form={form} />
      </RecentSignIn>
    </SettingsPage>
  )
}

/** What became of a test. */
const TestResult = ({ attempt }: { attempt: WebhookMessage['attempts'][number] | undefined }) => {
  if (!attempt) return <Notice>The test has no answer yet. Reload the page to see it.</Notice>
  const Outcome = attempt.error ? Warning : Notice
  return <Outcome>Test: {describeAttempt(attempt)}.</Outcome>
}

const webhookPath = ({ id }: Webhook) => `/settings/webhooks/${id}`

/** Milliseconds before now at which a replay begins, unless the user changes it. */
const REPLAY = 60 * 60 * 1000

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
          value={new Date(usePage().now.getTime() - REPLAY).toISOString().slice(0, 16)}
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
        <Submit kind="primary">Save</Submit>
      </p>
    </form>
  )
}
