import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { chosenEvents, eventMeanings, isAlarm } from '../../webhooks/schema.ts'
import { Field, Problem, type Problems } from '../components/field.tsx'

/** What the user has entered, and why it was rejected. */
export type RejectedForm = {
  values: { url: string; events: string[]; role?: string; enabled?: boolean }
  problems: Problems<'url' | 'events'>
  status: ContentfulStatusCode
}

type EventFieldsProps = Pick<RejectedForm, 'values' | 'problems'> & { hasAlarms: boolean }

/** The URL and the events of an endpoint. */
export const WebhookFields = ({ values, problems, hasAlarms }: EventFieldsProps) => (
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
            />
            <span>
              {eventMeanings[event]} <code class="code">{event}</code>
            </span>
          </label>
        ))}
      <Problem id="events-problem" text={problems.events} />
    </fieldset>
  </>
)
