import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { chosenEvents, isAlarm } from '../../webhooks/events.ts'
import { MAX_WEBHOOKS } from '../../webhooks/manage.ts'
import type { readOwnWebhooks } from '../../webhooks/read.ts'
import { plural } from '../components/numbers.ts'
import { Time } from '../components/time.tsx'
import { type Notice, SettingsPage, SignInAgain } from '../settings.tsx'
import { type RejectedForm, WebhookFields } from './form.tsx'
import { WebhookState } from './state.tsx'

type WebhooksProps = Awaited<ReturnType<typeof readOwnWebhooks>> & {
  notice: Notice | undefined
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  now: Date
  form: RejectedForm | undefined
}

/** The webhooks of a user, and the form that makes one. */
export const Webhooks = ({ account, webhooks, canChange, now, notice, form }: WebhooksProps) => (
  <SettingsPage section="webhooks" notice={notice}>
    <h2>Webhooks</h2>
    <p class="lead">
      The marketplace notifies your program at once when something happens to an order that you
      bought or sold. The guide <a href="/docs/webhooks">Webhooks</a> explains how to receive it.
    </p>
    <h3 id="webhooks">Your webhooks</h3>
    {webhooks.length === 0 ? (
      <p class="empty">You have no webhooks yet.</p>
    ) : (
      <ul class="rows" aria-labelledby="webhooks">
        {webhooks.map((webhook) => (
          <li class="row">
            <div class="row-head">
              <h4>{webhook.url}</h4>
              {webhook.role === 'master' && <span class="badge strong">All orders</span>}
            </div>
            <p class="meta">
              <WebhookState webhook={webhook} now={now} />
              <span>{plural(webhook.events.length, 'event')}</span>
              <span>
                Created <Time at={webhook.createdAt} now={now} />
              </span>
            </p>
            <div class="actions">
              <a class="button small" href={`/settings/webhooks/${webhook.id}`}>
                Show<span class="visually-hidden"> {webhook.url}</span>
              </a>
            </div>
          </li>
        ))}
      </ul>
    )}
    {!canChange ? (
      <section class="panel">
        <SignInAgain toDo="create a webhook" path="/settings/webhooks" />
      </section>
    ) : webhooks.length >= MAX_WEBHOOKS ? (
      <p class="hint">You have as many webhooks as allowed. To create one, delete another.</p>
    ) : (
      <CreateForm isAdministrator={account.roleId === ADMINISTRATOR} form={form} />
    )}
  </SettingsPage>
)

/** Ticked in an empty form. */
const orderEvents = chosenEvents.filter((event) => !isAlarm(event))

type CreateFormProps = { isAdministrator: boolean; form: RejectedForm | undefined }

const CreateForm = ({ isAdministrator, form }: CreateFormProps) => {
  const { values = { url: '', events: orderEvents, sources: null, role: 'user' }, problems = {} } =
    form ?? {}
  return (
    <form method="post" action="/settings/webhooks" class="panel">
      <h3>New webhook</h3>
      {isAdministrator && (
        <div class="field">
          <label for="role">Events of</label>
          <select id="role" name="role">
            <option value="user">Orders that I bought or sold</option>
            <option value="master" selected={values.role === 'master'}>
              All orders and alarms
            </option>
          </select>
        </div>
      )}
      <WebhookFields values={values} problems={problems} hasAlarms={isAdministrator} />
      <p class="actions">
        <button class="button primary" type="submit">
          Create webhook
        </button>
      </p>
    </form>
  )
}
