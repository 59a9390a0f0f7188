/** The forms that change an NFT and a listing. */
import { type Fields, jsonOf } from '../../catalogue/change.ts'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import { Field, Problem, Select, Submit, useProblem } from '../../pages/components/forms.tsx'
import { Section } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { decimalPrice } from '../../pages/components/text.ts'
import { hasEnteredAmount, listingFields, nftFields, toLocalTime } from './fields.ts'

type FormProps = { id: number; record: Fields }

export const NftForm = ({ id, record }: FormProps) => {
  const { values } = usePage().rejection ?? { values: record }
  return (
    <Section id="change" title="Change">
      <form method="post" action={`/operations/nfts/${id}`} class="panel flow">
        <Shown record={record} names={nftFields} />
        <Prices record={record} />
        {hasEnteredAmount(record) && (
          <Field
            name="amount"
            label="Pieces for sale, sold ones included"
            value={String(record.amount)}
            inputmode="numeric"
            required
          />
        )}
        <Select
          name="status"
          label="State"
          options={Object.fromEntries([...orderableStatuses, 'draft'].map((name) => [name, name]))}
          selected={String(values.status)}
        />
        <Save />
      </form>
    </Section>
  )
}

export const ListingForm = ({ id, record }: FormProps) => {
  const { values } = usePage().rejection ?? { values: record }
  return (
    <Section id="change" title="Change">
      <form method="post" action={`/operations/listings/${id}`} class="panel flow">
        <Shown record={record} names={listingFields} />
        <label class="check">
          <input type="checkbox" name="active" checked={Boolean(values.active)} />
          Orders are accepted
        </label>
        <Prices record={record} />
        <Field
          name="amount"
          label="Most pieces of one order"
          value={record.amount === null ? '' : String(record.amount)}
          inputmode="numeric"
          hint="Empty: no limit."
        />
        <Field
          name="activeTill"
          label="End (UTC)"
          type="datetime-local"
          value={toLocalTime(record.activeTill)}
          hint="Empty: it does not end."
        />
        <Field
          name="shopUrl"
          label="Where it is bought"
          value={record.shopUrl === null ? '' : String(record.shopUrl)}
          spellcheck={false}
          hint="An https URL. Empty: that of the seller. {listingId}, {nftId} and {externalId} become its numbers and its id."
        />
        <Save />
      </form>
    </Section>
  )
}

/** What the form shows, so that nobody overwrites what others have changed. */
const Shown = ({ record, names }: { record: Fields; names: readonly string[] }) => (
  <>
    <input type="hidden" name="shown" value={jsonOf(record, names)} />
    <Problem id="shown-problem" text={useProblem('shown')} />
  </>
)

const Prices = ({ record }: { record: Fields }) => {
  const { rejection } = usePage()
  const currency = String(record.priceCurrency)
  return (
    <>
      <Field
        name="priceCents"
        label={`Price of a piece in ${currency}`}
        value={decimalPrice(Number(record.priceCents), currency)}
        inputmode="decimal"
        required
      />
      <Field
        name="priceEths"
        label="Price of a piece in ETH"
        value={String(record.priceEths)}
        inputmode="decimal"
        required
      />
      {rejection?.status === 409 && rejection.problems.priceCents && (
        <label class="check">
          <input type="checkbox" name="confirm" required />
          This price is right
        </label>
      )}
    </>
  )
}

const Save = () => (
  <p class="actions">
    <Submit kind="primary">Save</Submit>
  </p>
)
