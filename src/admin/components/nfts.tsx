/** NFTs, as searches and lists show them. */
import type { SQL } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import type { nfts } from '../../db/schema/catalogue.ts'
import { raw } from '../../db/statements.ts'
import { isUnlimited } from '../../db/stock.ts'
import { Meta } from '../../pages/components/lists.tsx'
import { formatCount } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { LIMIT, PageLink, UserLink } from './layout.tsx'
import { nameSql } from './people.tsx'

type Nft = typeof nfts.$inferSelect

export type FoundNft = Pick<
  Nft,
  'id' | 'title' | 'status' | 'deletedAt' | 'amount' | 'availableAmount' | 'amountType'
> &
  Pick<Nft, 'creatorId' | 'contractAddr' | 'createdAt'> & {
    network: string
    creatorName: string | null
  }

/** Selects the newest NFTs by a condition on the NFT `n`. */
export const selectFoundNfts = (db: Database, condition: SQL, limit = LIMIT) =>
  raw<FoundNft>(
    db,
  )`SELECT n.id, n.title, n.status, n.deletedAt, n.amount, n.availableAmount, n.amountType,
      n.creatorId, n.contractAddr, n.createdAt, n.contractNetwork AS network, ${nameSql('c')} AS creatorName
    FROM nfts n LEFT JOIN users c ON c.id = n.creatorId
    WHERE ${condition} ORDER BY n.id DESC LIMIT ${limit}`

/** How many pieces can still be sold. */
export const piecesLeft = ({
  amountType,
  amount,
  availableAmount,
}: Pick<Nft, 'amountType' | 'amount' | 'availableAmount'>): string =>
  isUnlimited(amountType)
    ? 'Unlimited'
    : `${formatCount(availableAmount)} of ${formatCount(amount)}`

export const NftEntry = (nft: FoundNft) => (
  <>
    <h3>
      <PageLink to="nfts" id={nft.id} />: <bdi>{nft.title}</bdi>
    </h3>
    <Meta
      facts={[
        nft.deletedAt ? 'deleted' : nft.status,
        ['Left: ', piecesLeft(nft)],
        nft.network,
        <ExplorerLink network={nft.network} kind="token" value={nft.contractAddr} />,
        ['Creator: ', <UserLink id={nft.creatorId} name={nft.creatorName} />],
        ['Added ', <Time at={nft.createdAt} />],
      ]}
    />
  </>
)
