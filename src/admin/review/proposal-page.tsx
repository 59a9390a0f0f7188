/** Something that waits: as buyers would see it, whose it is, and what operators decide. */
import type { Child } from 'hono/jsx'
import type { Proposal } from '../../creators/review.ts'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import { creatorLimits } from '../../limits.ts'
import { Field, Hidden, Submit, useProblem, Warning } from '../../pages/components/forms.tsx'
import { Facts, Rows, Section } from '../../pages/components/lists.tsx'
import { Cover } from '../../pages/components/nfts.tsx'
import type { Found } from '../../pages/components/request.ts'
import { formatMoney } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { upTo } from '../components/format.ts'
import {
  AdminLayout,
  FactPanel,
  PageLink,
  REVIEW,
  reviewPath,
  UserLink,
} from '../components/layout.tsx'
import { NftEntry } from '../components/nfts.tsx'
import { asFields, describeFields, describeValue, findDifferences } from './describe.ts'
import type { readWaiting } from './read.ts'

/** What of it is new. */
export function describeKind({ kind, record }: Proposal): string {
  if (kind === 'listing') return 'Shop of a listing'
  return orderableStatuses.includes(String(record.status)) ? 'Change of an NFT' : 'New NFT'
}

type ProposalProps = Found<typeof readWaiting>

export const ProposalPage = ({ proposal, nft, creator, others, reports }: ProposalProps) => {
  const { name, description } = asFields(nft.metadata)
  const problem = useProblem('decision')
  return (
    <AdminLayout path={REVIEW}>
      {problem && <Warning>Nothing is decided. {problem}</Warning>}
      <h1>
        {describeKind(proposal)}: <bdi>{describeValue(name)}</bdi>
      </h1>
      <div class="nft">
        <ProposedCover {...proposal} size="page" />
        <div class="flow">
          {description !== undefined && (
            <p class="description" dir="auto">
              {describeValue(description)}
            </p>
          )}
          <Changes {...proposal} />
          <FactPanel facts={[...whatFacts(proposal, nft), ...whoFacts(proposal, creator)]} />
        </div>
      </div>
      <Section id="read" title="What buyers read and get">
        <Facts facts={shownFields(nft)} />
      </Section>
      <Section id="others" title="Other NFTs of this token">
        <Rows
          items={others}
          labelledby="others"
          empty="There are none."
          row={(other) => (
            <li class="row">
              <div>{NftEntry(other)}</div>
            </li>
          )}
        />
      </Section>
      <Section id="reports" title="Reports">
        <Rows
          items={reports}
          labelledby="reports"
          empty="Nobody has reported it."
          row={({ userId, text, createdAt }) => (
            <li class="row">
              <p>
                <UserLink id={userId} name={null} />, <Time at={createdAt} />: <bdi>{text}</bdi>
              </p>
            </li>
          )}
        />
      </Section>
      <Decision {...proposal} />
    </AdminLayout>
  )
}

/** Of an NFT the art that waits, which nobody else sees yet. */
export const ProposedCover = ({
  kind,
  number,
  nftId,
  size,
}: Pick<Proposal, 'kind' | 'number' | 'nftId'> & { size: 'card' | 'page' }) => (
  <Cover
    nft={{ id: nftId, hasArt: true }}
    size={size}
    {...(kind === 'nft' && { art: `${reviewPath({ kind, number })}/cover` })}
  />
)

type FactList = [name: string, value: Child][]

/** Links are text, so that nobody follows one by mistake. */
const whatFacts = (
  { kind, nftId, record, fields, submittedAt, missingFiles }: Proposal,
  nft: ProposalProps['nft'],
): FactList => {
  const listed = { ...record, ...fields }
  const network = String(nft.network)
  return [
    ['NFT', <PageLink to="nfts" id={nftId} />],
    ['Contract', <ExplorerLink network={network} kind="token" value={String(nft.contract)} />],
    ['Network', network],
    ['Token', describeValue(nft.tokenId)],
    ['Delivered by', describeValue(nft.fulfilment)],
    ['Price', formatMoney(Number(listed.priceCents), String(listed.priceCurrency))],
    ['Amount', describeValue(listed.amount)],
    ['Shop', kind === 'listing' && <bdi>{describeValue(listed.shopUrl)}</bdi>],
    ['Files', filesOf(nft).length > 0 && <FileList nftId={nftId} files={filesOf(nft)} />],
    ['Missing files', missingFiles || null],
    ['Sent', <Time at={submittedAt} />],
  ]
}

const filesOf = ({ content }: ProposalProps['nft']): readonly { name: string }[] =>
  Object(content).files ?? []

/** What buyers load: saved, and never opened here. */
const FileList = ({ nftId, files }: { nftId: number; files: readonly { name: string }[] }) =>
  files.map(({ name }, i) => (
    <>
      {i > 0 && ', '}
      <a
        href={`${reviewPath({ kind: 'nft', number: nftId })}/files/${encodeURIComponent(name)}`}
        download
      >
        <bdi>{name}</bdi>
      </a>
    </>
  ))

const whoFacts = (
  { userId, creator: name, wallet }: Proposal,
  { approvedAt, createdAt, nfts }: ProposalProps['creator'],
): FactList => [
  ['Listed by', <UserLink id={userId} name={name} />],
  ['Wallet', wallet && <span class="hash">{wallet}</span>],
  ['Joined', <Time at={createdAt} />],
  ['Approved', approvedAt ? <Time at={approvedAt} /> : 'no'],
  ['NFTs', upTo(nfts)],
]

/** The fields of an NFT besides its title and description, as they are. */
const shownFields = (nft: ProposalProps['nft']): [name: string, value: string][] => {
  const { name: _name, description: _description, ...metadata } = asFields(nft.metadata)
  const { contractName, category, releaseAt, fee, feeRecipient, salesContractUrl } = nft
  const { content, payload } = nft
  const shown = { contractName, metadata, category, releaseAt, fee, feeRecipient, salesContractUrl }
  return [...describeFields({ ...shown, content, payload })]
}

/** Of what is on sale. */
const Changes = ({ record, fields }: Proposal) => {
  const differences = findDifferences(record, fields)
  if (differences.length === 0) return null
  return (
    <Section id="changes" title="What would change">
      <Facts
        facts={differences.map(({ name, before, after }) => [
          name,
          <>
            <bdi>{before}</bdi> →{' '}
            <strong>
              <bdi>{after}</bdi>
            </strong>
          </>,
        ])}
      />
    </Section>
  )
}

/** The version says what was looked at. */
const Decision = (proposal: Proposal) => {
  const path = reviewPath(proposal)
  const { version } = proposal
  return (
    <Section id="decide" title="Decide">
      <form method="post" action={`${path}/approve`} class="actions">
        <Hidden values={{ version }} />
        <Submit kind="primary">Approve</Submit>
      </form>
      <form method="post" action={`${path}/reject`} class="panel flow">
        <Hidden values={{ version }} />
        <Field
          name="reason"
          label="Why it is rejected"
          hint="A sentence, which a mail says to who lists it."
          rows={3}
          required
          maxlength={creatorLimits.reason.max}
        />
        <p class="actions">
          <Submit>Reject</Submit>
        </p>
      </form>
      {!proposal.approved && <ApproveCreator id={proposal.userId} />}
    </Section>
  )
}

/** From then on, what the creator lists waits for nobody. */
const ApproveCreator = ({ id }: { id: number }) => (
  <form method="post" action={`/operations/users/${id}/approval`} class="actions">
    <Hidden values={{ approved: 'true' }} />
    <Submit>Approve the creator</Submit>
    <p class="hint">What the creator lists from then on is on sale at once.</p>
  </form>
)
