import type { Webhook } from '../../webhooks/schema.ts'
import { Time } from '../components/time.tsx'

const reasons = {
  failing: 'it accepted nothing for 5 days',
  gone: 'it answered 410 Gone',
  owner: 'by its owner',
  demoted: 'its user is no administrator any more',
}

/** Whether messages reach an endpoint, as one line. */
export const WebhookState = ({ webhook, now }: { webhook: Webhook; now: Date }) => {
  const { disabledAt, disabledReason, failingSince } = webhook
  if (disabledAt && disabledReason)
    return (
      <span class="problem">
        Disabled <Time at={disabledAt} now={now} />: {reasons[disabledReason]}
      </span>
    )
  if (!webhook.verifiedAt) return <span class="problem">Not verified</span>
  if (!failingSince) return <span>Live</span>
  return (
    <span class="problem">
      Failing: first <Time at={failingSince} now={now} />
    </span>
  )
}
