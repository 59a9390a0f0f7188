/** The pages on which operators approve what people list, and reject it. */
import type { Context } from 'hono'
import * as z from 'zod'
import { dismissReports } from '../../creators/reports.ts'
import { approveProposal, rejectProposal } from '../../creators/review.ts'
import { tellDecision } from '../../creators/tell.ts'
import { proposalKinds } from '../../db/schema/creators.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { idText, inputText, writtenText } from '../../http/inputs.ts'
import { creatorLimits } from '../../limits.ts'
import { handleForm, parseForm } from '../../pages/components/forms.tsx'
import { sent, shown } from '../../pages/page.tsx'
import { adminPage, REVIEW } from '../components/layout.tsx'
import { ReviewList } from './list-page.tsx'
import { ProposalPage } from './proposal-page.tsx'
import { readReview, readWaiting } from './read.ts'

const Named = z.object({ kind: z.enum(proposalKinds), number: idText })
const Approval = z.object({ version: inputText(100) })
const Rejection = Approval.extend({ reason: inputText(10_000).default('') })
const Reason = z.object({ reason: writtenText(creatorLimits.reason.max, 1) })

type Props = { param: z.output<typeof Named> }

export const reviewRoutes = new Endpoints()
  .get('/operations/review', shown.administrator({}), async (c) => {
    const { account, ...found } = await readReview(c.var)
    return adminPage(c, { title: 'Review', account }, <ReviewList {...found} />)
  })
  .get('/operations/review/:kind/:number', shown.administrator({ param: Named }), proposalPage)
  .post(
    '/operations/review/:kind/:number/approve',
    sent.administrator({ param: Named, form: Approval }),
    handleForm(
      proposalPage,
      'decision',
      async (c, { param, form }: Props & { form: z.output<typeof Approval> }) => {
        const ctx = { ...c.var, bucket: c.env.AVATARS, images: c.env.IMAGES }
        tellDecision(c, await approveProposal(ctx, { ...param, ...form }), null)
        return c.redirect(`${REVIEW}?notice=approved`, 303)
      },
    ),
  )
  .post(
    '/operations/review/:kind/:number/reject',
    sent.administrator({ param: Named, form: Rejection }),
    handleForm(
      proposalPage,
      'decision',
      async (c, { param, form }: Props & { form: z.output<typeof Rejection> }) => {
        const { reason } = parseForm(Reason, form)
        const { version } = form
        tellDecision(c, await rejectProposal(c.var, { ...param, version, reason }), reason)
        return c.redirect(`${REVIEW}?notice=rejected`, 303)
      },
    ),
  )
  .post(
    '/operations/reports/:id/dismiss',
    sent.administrator({
      param: z.object({ id: idText }),
      form: z.object({ until: inputText(100) }),
    }),
    async (c, { param: { id: nftId }, form: { until } }) => {
      await dismissReports(c.var, { nftId, until })
      return c.redirect(`${REVIEW}?notice=dismissed`, 303)
    },
  )

async function proposalPage(c: Context<AppWithCaller>, { param }: Props) {
  const { account, ...found } = await readWaiting(c.var, param)
  return adminPage(
    c,
    { title: 'Review', account, scripts: ['art.js'] },
    <ProposalPage {...found} />,
  )
}
