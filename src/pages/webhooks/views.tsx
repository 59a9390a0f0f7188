/** The webhooks of a user, and what the page of each one shares with them. */
import type { Child } from 'hono/jsx'
import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { eventTexts } from '../../db/schema/webhooks.ts'
import { chosenEvents, isAlarm } from '../../events/event.ts'
import type { Webhook } from '../../events/schema.ts'
import { webhookLimits } from '../../limits.ts'
import { Field, LinkButton, Problem, Select, Submit, useProblem } from '../components/forms.tsx'
import { Rows } from '../components/lists.tsx'
import { usePage } from '../components/request.ts'
import { plural } from '../components/text.ts'
import { Time, When } from '../components/values.tsx'
import { RecentSignIn } from '../settings.tsx'

export type WebhookValues = {
  url: string
  events: string[]
  sources: string[] | null
  role?: string
  enabled?: boolean
}

const roleNames = { user: 'Orders that I bought or sold', master: 'All orders and alarms' }

export const Webhooks = ({ webhooks }: { webhooks: readonly Webhook[] }) => (
  <>
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
      {webhooks.length >= webhookLimits.webhooks.max ? (
        <p class="hint">You have as many webhooks as allowed. To create one, delete another.</p>
      ) : (
        <CreateForm />
      )}
    </RecentSignIn>
  </>
)

const emptyForm: WebhookValues = {
  url: '',
  events: chosenEvents.filter((event) => !isAlarm(event)),
  sources: null,
  role: 'user',
}

const CreateForm = () => {
  const { account, rejection } = usePage()
  const isAdministrator = account?.roleId === ADMINISTRATOR
  const values: WebhookValues = { ...emptyForm, ...rejection?.values }
  return (
    <form method="post" action="/settings/webhooks" class="panel">
      <h3>New webhook</h3>
      {isAdministrator && (
        <Select name="role" label="Events of" options={roleNames} selected={values.role} />
      )}
      <WebhookFields
        values={values}
        hasAlarms={isAdministrator}
        canHaveAlarms={isAdministrator ? values.role === 'master' : undefined}
      />
      <p class="actions">
        <Submit kind="primary">Create webhook</Submit>
      </p>
    </form>
  )
}

type WebhookFieldsProps = {
  values: WebhookValues
  hasAlarms: boolean
  /** Whether alarms can be chosen now, where that depends on the choice above. */
  canHaveAlarms?: boolean | undefined
}

export const WebhookFields = ({ values, hasAlarms, canHaveAlarms }: WebhookFieldsProps) => {
  const isRejected = useProblem('events') !== undefined
  const problem =
    values.events.length === 0
      ? 'Choose at least one event.'
      : `Alarms are only for “${roleNames.master}”: choose that, or no alarms.`
  return (
    <>
      <Field
        name="url"
        label="URL"
        type="url"
        value={values.url}
        required
        maxlength={2048}
        autocomplete="off"
        spellcheck={false}
        placeholder="https://shop.example/webhooks"
      />
      <fieldset class="field" {...(isRejected && { 'aria-describedby': 'events-problem' })}>
        <legend>Events</legend>
        {chosenEvents
          .filter((event) => hasAlarms || !isAlarm(event))
          .map((event) => (
            <label class="check">
              <input
                type="checkbox"
                name="events"
                value={event}
                checked={values.events.includes(event)}
                disabled={isAlarm(event) && canHaveAlarms === false}
              />
              <span>
                {eventTexts[event].meaning} <code class="code">{event}</code>
              </span>
            </label>
          ))}
        {canHaveAlarms !== undefined && (
          <p class="hint" id="alarms-hint" hidden={canHaveAlarms}>
            Alarms are only for “{roleNames.master}”.{' '}
            <noscript>
              <button class="button small" type="submit" name="update" value="on" formnovalidate>
                Choose alarms
              </button>
            </noscript>
          </p>
        )}
        {isRejected && <Problem id="events-problem" text={problem} />}
      </fieldset>
      <Field
        name="sources"
        label="Only orders placed with these tokens (optional)"
        hint="One name on each line."
        rows={2}
        value={values.sources?.join('\n') ?? ''}
        maxlength={2048}
        autocomplete="off"
        spellcheck={false}
      />
    </>
  )
}

type WebhookHeadProps = { webhook: Webhook; heading: 'h2' | 'h4'; children?: Child }

export const WebhookHead = ({ webhook, heading: Heading, children }: WebhookHeadProps) => (
  <>
    <div class="row-head">
      <Heading>{webhook.url}</Heading>
      {webhook.role === 'master' && <span class="badge strong">All orders</span>}
    </div>
    <p class="meta">
      <WebhookState webhook={webhook} />
      {children}
      <When what="Created" at={webhook.createdAt} />
    </p>
  </>
)

const disabledReasons = {
  failing: 'it accepted nothing for 5 days',
  gone: 'it answered 410 Gone',
  owner: 'by its owner',
  demoted: 'its user is no administrator any more',
}

/** Whether it is live, and since when it is not. */
const WebhookState = ({ webhook }: { webhook: Webhook }) => {
  const { disabledAt, disabledReason, failingSince } = webhook
  if (disabledAt && disabledReason)
    return (
      <span class="problem">
        Disabled <Time at={disabledAt} />: {disabledReasons[disabledReason]}
      </span>
    )
  if (!webhook.verifiedAt) return <span class="problem">Not verified</span>
  if (!failingSince) return <span>Live</span>
  return (
    <span class="problem">
      Failing: first <Time at={failingSince} />
    </span>
  )
}
