import { chosenEvents, eventMeanings, isAlarm } from '../../events/event.ts'
import { Field, Problem } from '../components/field.tsx'
import type { Rejection } from '../components/form.ts'

/** What the user has entered, and why it was rejected. */
export type RejectedForm = Rejection<'url' | 'events' | 'sources'> & {
  values: {
    url: string
    events: string[]
    sources: string[] | null
    role?: string
    enabled?: boolean
  }
}

type EventFieldsProps = Pick<RejectedForm, 'values' | 'problems'> & {
  hasAlarms: boolean
  /** Whether alarms can be chosen now, where that depends on the choice above. */
  canHaveAlarms?: boolean | undefined
}

export const roleNames = { user: 'Orders that I bought or sold', master: 'All orders and alarms' }

/** The URL, the events and the sources of an endpoint. */
export const WebhookFields = ({ values, problems, hasAlarms, canHaveAlarms }: EventFieldsProps) => (
  <>
    <Field
      name="url"
      label="URL"
      type="url"
      value={values.url}
      problem={problems.url}
      required
      maxlength={2048}
      autocomplete="off"
      spellcheck={false}
      placeholder="https://shop.example/webhooks"
    />
    <fieldset class="field" {...(problems.events && { 'aria-describedby': 'events-problem' })}>
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
              {eventMeanings[event]} <code class="code">{event}</code>
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
      <Problem id="events-problem" text={problems.events} />
    </fieldset>
    <Field
      name="sources"
      label="Only orders placed with these tokens (optional)"
      value={values.sources?.join(', ') ?? ''}
      problem={problems.sources}
      maxlength={2048}
      autocomplete="off"
      spellcheck={false}
      placeholder="Shop, ERP"
    />
  </>
)
