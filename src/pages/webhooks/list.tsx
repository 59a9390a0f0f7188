import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { chosenEvents, isAlarm } from '../../events/event.ts'
import { MAX_WEBHOOKS } from '../../events/manage.ts'
import type { Webhook } from '../../events/schema.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Select } from '../components/field.tsx'
import { plural } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { RecentSignIn, SettingsPage } from '../settings.tsx'
import { type RejectedForm, roleNames, WebhookFields } from './form.tsx'
import { WebhookHead } from './state.tsx'

type WebhooksProps = { webhooks: readonly Webhook[]; form: RejectedForm | undefined }

/** The webhooks of a user, and the form that makes one. */
export const Webhooks = ({ webhooks, form }: WebhooksProps) => (
  <SettingsPage section="webhooks">
    <h2>Webhooks</h2>
    <p class="lead">
      The marketplace notifies your program at once when something happens to an order that you
      bought or sold. The guide <a href="/docs/webhooks">Webhooks</a> explains how to receive it.
    </p>
    <h3 id="webhooks">Your webhooks</h3>
    <Rows
      items={webhooks}
      empty="You have no webhooks yet."
      labelledby="webhooks"
      row={(webhook) => (
        <li class="row">
          <WebhookHead webhook={webhook} heading="h4">
            <span>{plural(webhook.events.length, 'event')}</span>
          </WebhookHead>
          <div class="actions">
            <LinkButton href={`/settings/webhooks/${webhook.id}`} kind="small">
              Show<span class="visually-hidden"> {webhook.url}</span>
            </LinkButton>
          </div>
        </li>
      )}
    />
    <RecentSignIn toDo="create a webhook" path="/settings/webhooks">
      {webhooks.length >= MAX_WEBHOOKS ? (
        <p class="hint">You have as many webhooks as allowed. To create one, delete another.</p>
      ) : (
        <CreateForm form={form} />
      )}
    </RecentSignIn>
  </SettingsPage>
)

/** Ticked in an empty form. */
const orderEvents = chosenEvents.filter((event) => !isAlarm(event))

const CreateForm = ({ form }: Pick<WebhooksProps, 'form'>) => {
  const isAdministrator = usePage().account?.roleId === ADMINISTRATOR
  const { values = { url: '', events: orderEvents, sources: null, role: 'user' }, problems = {} } =
    form ?? {}
  return (
    <form method="post" action="/settings/webhooks" class="panel">
      <h3>New webhook</h3>
      {isAdministrator && (
        <Select name="role" label="Events of" options={roleNames} selected={values.role} />
      )}
      <WebhookFields
        values={values}
        problems={problems}
        hasAlarms={isAdministrator}
        canHaveAlarms={isAdministrator ? values.role === 'master' : undefined}
      />
      <p class="actions">
        <Submit kind="primary">Create webhook</Submit>
      </p>
    </form>
  )
}
