/** What waits to be approved, and the NFTs that people have reported. */
import type { Proposal } from '../../creators/review.ts'
import { Submit } from '../../pages/components/forms.tsx'
import { Meta, Rows, Section } from '../../pages/components/lists.tsx'
import { type Found, usePage } from '../../pages/components/request.ts'
import { plural } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { AdminLayout, PageLink, REVIEW, reviewPath, UserLink } from '../components/layout.tsx'
import { describeKind, ProposedCover } from './proposal-page.tsx'
import type { ReportedNft, readReview } from './read.ts'

const notices: Record<string, string> = {
  approved: 'It is approved.',
  rejected: 'It is rejected.',
  dismissed: 'The reports are dismissed.',
}

export const ReviewList = ({ waiting, reported }: Found<typeof readReview>) => (
  <AdminLayout path={REVIEW} notice={notices[usePage().notice ?? '']}>
    <h1>Review</h1>
    <p class="lead">
      What people list who are not approved, and what they would change of it, is seen by nobody
      else before you approve it. What is on sale stays as it is until then.
    </p>
    <Section id="waiting" title="Waits to be approved">
      <Rows
        items={waiting}
        labelledby="waiting"
        isOrdered
        empty="Nothing waits."
        row={(proposal) => <Waiting {...proposal} />}
      />
    </Section>
    <Section id="reports" title="Reported">
      <Rows
        items={reported}
        labelledby="reports"
        empty="Nobody has reported an NFT."
        row={(nft) => <Reported {...nft} />}
      />
    </Section>
  </AdminLayout>
)

const Waiting = (proposal: Proposal) => (
  <li class="row">
    <ProposedCover {...proposal} size="card" />
    <h3>
      <a href={reviewPath(proposal)}>
        <bdi>{proposal.title}</bdi>
      </a>
    </h3>
    <Meta
      facts={[
        describeKind(proposal),
        ['By ', <UserLink id={proposal.userId} name={proposal.creator} />],
        ['Sent ', <Time at={proposal.submittedAt} />],
      ]}
    />
  </li>
)

/** Reports of an NFT whose texts are shown. */
const SHOWN = 3

const Reported = ({ nftId, title, reports }: ReportedNft) => (
  <li class="row">
    <div class="flow">
      <h3>
        <PageLink to="nfts" id={nftId} />: <bdi>{title}</bdi>
      </h3>
      <Meta
        facts={[plural(reports.length, 'report'), <a href={`/nfts/${nftId}`}>As buyers see it</a>]}
      />
      {reports.slice(0, SHOWN).map(({ userId, text, createdAt }) => (
        <p>
          <UserLink id={userId} name={null} />, <Time at={createdAt} />: <bdi>{text}</bdi>
        </p>
      ))}
    </div>
    <form method="post" action={`/operations/reports/${nftId}/dismiss`} class="actions">
      <input type="hidden" name="until" value={reports[0].createdAt} />
      <Submit kind="small">
        Dismiss<span class="visually-hidden"> the reports of {title}</span>
      </Submit>
    </form>
  </li>
)
