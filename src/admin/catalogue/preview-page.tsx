/** What a catalogue would change, or what is wrong with it. */
import type { LineProblem } from '../../catalogue/line.ts'
import type { CataloguePreview, Difference } from '../../catalogue/preview.ts'
import type { PriceChange } from '../../catalogue/prices.ts'
import { Hidden, LinkButton, Submit, Warning } from '../../pages/components/forms.tsx'
import { Meta, Rows, Section } from '../../pages/components/lists.tsx'
import { formatMoney, plural, sentence } from '../../pages/components/text.ts'
import { AdminLayout } from '../components/layout.tsx'
import { CountsTable, PATH } from './upload-page.tsx'

/** Problems that are listed. */
const MAX_LISTED = 200

type ProblemsProps = { file: string; problems: readonly LineProblem[] }

export const ProblemsPage = ({ file, problems }: ProblemsProps) => (
  <AdminLayout path={PATH}>
    <h1>Catalogue</h1>
    <Warning>
      <span>
        <bdi>{file}</bdi> has {plural(problems.length, 'problem')}. Nothing was imported.
      </span>
    </Warning>
    <Rows
      items={problems.slice(0, MAX_LISTED)}
      empty=""
      isOrdered
      row={({ line, path, message }) => (
        <li class="row">
          <div>
            <strong>
              Line {line}
              {path && [', ', <bdi>{path}</bdi>]}
            </strong>
            <p>{sentence(message)}</p>
          </div>
        </li>
      )}
    />
    <More total={problems.length} listed={MAX_LISTED} noun="problem" />
    <LinkButton href={PATH}>Choose the corrected file</LinkButton>
  </AdminLayout>
)

type PreviewProps = CataloguePreview & { file: string; importId: string }

export const PreviewPage = ({ file, importId, ...preview }: PreviewProps) => {
  const { last, counts, prices, ended, differences } = preview
  return (
    <AdminLayout path={PATH}>
      <h1>Catalogue</h1>
      <p class="lead">
        Nothing is imported yet. This is what <bdi>{file}</bdi> would do:
      </p>
      <CountsTable counts={counts} />
      {ended > 0 && <p>{plural(ended, 'listing')} would be sold no more.</p>}
      {prices.total > 0 && (
        <Section id="prices" title="Prices that change by much">
          <Rows
            items={prices.listed}
            empty=""
            labelledby="prices"
            isOrdered
            row={(change) => <Price change={change} />}
          />
          <More total={prices.total} listed={prices.listed.length} noun="price" />
        </Section>
      )}
      {differences.total === 0 ? (
        <p>Everything is stored like this already.</p>
      ) : (
        <form method="post" action={`${PATH}/import`} class="panel flow">
          <Hidden values={{ import: importId, last }} />
          {prices.total > 0 && (
            <label class="check">
              <input type="checkbox" name="confirm" required />
              {prices.total === 1
                ? 'This price is right'
                : `These ${prices.total} prices are right`}
            </label>
          )}
          <p class="actions">
            <Submit kind="primary">Import this</Submit>
            <LinkButton href={PATH}>Cancel</LinkButton>
          </p>
        </form>
      )}
      {differences.total > 0 && (
        <Section id="differences" title="Differences">
          <Rows
            items={differences.listed}
            empty=""
            labelledby="differences"
            isOrdered
            row={(difference) => <DifferenceRow {...difference} />}
          />
          <More total={differences.total} listed={differences.listed.length} noun="record" />
        </Section>
      )}
    </AdminLayout>
  )
}

type MoreProps = { total: number; listed: number; noun: string }

const More = ({ total, listed, noun }: MoreProps) =>
  total > listed ? <p class="hint">And {plural(total - listed, `more ${noun}`)}.</p> : null

const names = { user: 'User', nft: 'NFT', listing: 'Listing' }

/** A record of the file. */
const RecordName = ({
  type,
  externalId,
  line,
}: Pick<Difference, 'type' | 'externalId' | 'line'>) => (
  <strong>
    Line {line}: {names[type]} <bdi>{externalId}</bdi>
  </strong>
)

/** A price, also in ETH. */
const describePrice = ({ priceCents, priceCurrency, priceEths }: PriceChange['before']) =>
  `${formatMoney(priceCents, priceCurrency)} (${priceEths} ETH)`

const Price = ({ change: { before, after, ...record } }: { change: PriceChange }) => (
  <li class="row">
    <div>
      <RecordName {...record} />
      <p>
        {describePrice(before)} → {describePrice(after)}
      </p>
    </div>
  </li>
)

const MAX_LENGTH = 80

const shorten = (json = '–') =>
  json.length > MAX_LENGTH ? `${json.slice(0, MAX_LENGTH - 1)}…` : json

const DifferenceRow = ({ changes, ...record }: Difference) => (
  <li class="row">
    <div>
      <RecordName {...record} />
      <Meta
        facts={
          changes?.map(({ field, before, after }) => (
            <bdi>
              {field}: {shorten(before)} → {shorten(after)}
            </bdi>
          )) ?? ['New']
        }
      />
    </div>
  </li>
)
