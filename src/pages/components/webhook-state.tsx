/** The state of a webhook, for its owner and for operators. */
import type { Webhook } from '../../events/schema.ts'
import { Time } from './values.tsx'

type WebhookStateProps = {
  webhook: Pick<Webhook, 'disabledAt' | 'disabledReason' | 'verifiedAt' | 'failingSince'>
}

const disabledReasons = {
  failing: 'it accepted nothing for 5 days',
  gone: 'it answered 410 Gone',
  owner: 'by its owner',
  demoted: 'its user is no administrator any more',
}

/** Whether it is live, and since when it is not. */
export const WebhookState = ({ webhook }: WebhookStateProps) => {
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
