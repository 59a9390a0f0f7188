import type { HistoryEntry } from '../../orders/history.ts'
import { Pager, pathWith } from '../components/navigation.tsx'
import { plural } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'
import { Title } from '../components/text.tsx'

type CollectionProps = { entries: HistoryEntry[]; next: number | null; isFirstPage: boolean }

/** What was delivered to a user: a card for each NFT of the page, with the `next` cursor of the list. */
export const Collection = ({ entries, next, isFirstPage }: CollectionProps) => (
  <div class="flow">
    <h1>Collection</h1>
    <p class="lead">What was delivered to you, also if you have given it away since.</p>
    {entries.length === 0 && <p class="empty">Nothing was delivered to you yet.</p>}
    <ul class="grid">
      {[...Map.groupBy(entries, ({ item }) => item.nftId).values()].map((own) => (
        <Collected entries={own} />
      ))}
    </ul>
    <Pager
      noun="NFTs"
      to={(page) => pathWith('/collection', { ...page })}
      isFirstPage={isFirstPage}
      next={next !== null && { before: next }}
    />
  </div>
)

/** Leads to the newest of the orders. */
const Collected = ({ entries }: { entries: HistoryEntry[] }) =>
  entries.slice(0, 1).map(({ order, item: { nft } }) => (
    <li class="release">
      <Cover nft={nft} />
      <h2>
        <a href={`/orders/${order.id}`}>
          <Title>{nft.title}</Title>
        </a>
      </h2>
      <p class="meta">
        <bdi>{nft.contractName}</bdi>
        <span>{plural(countPieces(entries), 'piece')}</span>
      </p>
    </li>
  ))

const countPieces = (entries: HistoryEntry[]) =>
  entries.reduce((sum, { item: { quantity } }) => sum + quantity, 0)
