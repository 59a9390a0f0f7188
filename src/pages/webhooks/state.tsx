import type { Child } from 'hono/jsx'
import type { Webhook } from '../../events/schema.ts'
import { Time, When } from '../components/time.tsx'

const reasons = {
  failing: 'it accepted nothing for 5 days',
  gone: 'it answered 410 Gone',
  owner: 'by its owner',
  demoted: 'its user is no administrator any more',
}

type WebhookHeadProps = { webhook: Webhook; heading: 'h2' | 'h4'; children?: Child }

/** What a webhook is, and whether messages reach it. */
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

/** Whether messages reach an endpoint, as one line. */
const WebhookState = ({ webhook }: { webhook: Webhook }) => {
  const { disabledAt, disabledReason, failingSince } = webhook
  if (disabledAt && disabledReason)
    return (
      <span class="problem">
        Disabled <Time at={disabledAt} />: {reasons[disabledReason]}
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
