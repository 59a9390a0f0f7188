/** The page of an NFT. */
import { eq, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { parseRecord, selectRecord } from '../../catalogue/change.ts'
import { type CodeCounts, selectCodeCounts } from '../../content/codes.ts'
import { nfts } from '../../db/schema/catalogue.ts'
import type { contentFiles } from '../../db/schema/content.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { Meta, Rows } from '../../pages/components/lists.tsx'
import { type Found, usePage } from '../../pages/components/request.ts'
import { formatCount, formatSize, plural } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { Details, Listings, requireFound } from '../components/details.tsx'
import { reviewPath, UserLink } from '../components/layout.tsx'
import { selectFoundListings } from '../components/listings.tsx'
import { piecesLeft } from '../components/nfts.tsx'
import { nameSql } from '../components/people.tsx'
import { NftForm } from './forms.tsx'

/** `downloads`: those of the last 90 days. */
type FoundFile = Pick<typeof contentFiles.$inferSelect, 'name' | 'type' | 'bytes' | 'state'> & {
  downloads: number
}

export async function readNftDetails(ctx: Ctx, id: number) {
  const { nft, records, ...others } = await readAsUser(ctx, {
    nft: ctx.db.select().from(nfts).where(eq(nfts.id, id)),
    creators: raw<{ name: string | null }>(ctx.db)`
      SELECT ${nameSql('u')} AS name FROM users u WHERE id = (SELECT creatorId FROM nfts WHERE id = ${id})`,
    records: selectRecord(ctx, { type: 'nft', id, owner: null }),
    listings: selectFoundListings(ctx, sql`l.nftId = ${id}`),
    codes: selectCodeCounts(ctx.db, id),
    waiting: raw<{ state: string }>(ctx.db)`SELECT state FROM proposals
      WHERE kind = 'nft' AND subjectId = ${id} AND state = 'in_review'`,
    files: raw<FoundFile>(ctx.db)`SELECT f.name, f.type, f.bytes, f.state,
        (SELECT coalesce(sum(count), 0) FROM downloads d WHERE d.nftId = f.nftId AND d.name = f.name) AS downloads
      FROM contentFiles f WHERE f.nftId = ${id} AND f.state <> 'removed' ORDER BY f.place, f.state`,
  })
  return { nft: requireFound(nft), record: parseRecord(requireFound(records).record), ...others }
}

const describeCodes = ({ codes, given, owed }: CodeCounts) =>
  `${formatCount(given)} of ${formatCount(codes)} given${owed > 0 ? `, and ${plural(owed, 'order')} waiting for theirs` : ''}`

export const NftRecord = ({
  nft,
  record,
  creators,
  listings,
  codes,
  waiting,
  files,
}: Found<typeof readNftDetails>) => (
  <Details
    notice={usePage().notice === 'changed' && 'The NFT is changed.'}
    title={[`NFT ${nft.id}: `, <bdi>{nft.title}</bdi>]}
    facts={[
      ['Id in the catalogue', nft.externalId],
      ['Creator', <UserLink id={nft.creatorId} name={creators[0]?.name ?? null} />],
      ['Left', piecesLeft(nft)],
      ['State', nft.deletedAt ? 'deleted' : nft.status],
      [
        'Review',
        waiting.length > 0 && (
          <a href={reviewPath({ kind: 'nft', number: nft.id })}>Waits to be approved</a>
        ),
      ],
      ['Released', <Time at={nft.releaseAt} />],
      ['Network', nft.contractNetwork],
      ['Delivered by', nft.fulfilment],
      ['Held by', nft.heldBySeller && 'its seller'],
      ['Token', nft.tokenId],
      [
        'Content for',
        nft.contentRelease === 'holder'
          ? 'who holds the token'
          : nft.contentRelease && 'who has bought it',
      ],
      ['Codes', nft.hasCodes && codes.map(describeCodes)],
      [
        'Contract',
        <ExplorerLink network={nft.contractNetwork} kind="token" value={nft.contractAddr} />,
      ],
    ]}
  >
    <h2>Listings</h2>
    <Listings listings={listings} />
    {!nft.deletedAt && <NftForm id={nft.id} record={record} />}
    {files.length > 0 && (
      <>
        <h2>Files</h2>
        <Rows
          items={files}
          empty=""
          row={({ name, type, bytes, state, downloads }) => (
            <li class="row">
              <div>
                <bdi>{name}</bdi>
                <Meta
                  facts={[
                    type,
                    formatSize(bytes),
                    state === 'missing' && 'not uploaded yet',
                    state === 'stored' && `${plural(downloads, 'download')} in 90 days`,
                  ]}
                />
              </div>
            </li>
          )}
        />
      </>
    )}
  </Details>
)
