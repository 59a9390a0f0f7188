/** The forms that change an NFT and a listing. */
import type { Fields } from '../../catalogue/change.ts'
import { orderableStatuses, otherStatuses } from '../../db/schema/catalogue.ts'
import { Field, Select, Submit } from '../../pages/components/forms.tsx'
import { Section } from '../../pages/components/lists.tsx'
import { hasEnteredAmount } from '../../pages/components/record-fields.ts'
import { Amount, ListingInputs, Prices, Shown } from '../../pages/components/record-forms.tsx'
import { usePage } from '../../pages/components/request.ts'
import { listingFieldsWithShop, nftFields } from './fields.ts'

type FormProps = { id: number; record: Fields }

export const NftForm = ({ id, record }: FormProps) => {
  const { values } = usePage().rejection ?? { values: record }
  return (
    <Section id="change" title="Change">
      <form method="post" action={`/operations/nfts/${id}`} class="panel flow">
        <Shown record={record} names={nftFields} />
        <Prices record={record} />
        {hasEnteredAmount(record) && <Amount record={record} />}
        <Select
          name="status"
          label="State"
          options={Object.fromEntries(
            [...orderableStatuses, ...otherStatuses].map((name) => [name, name]),
          )}
          selected={String(values.status)}
        />
        <Save />
      </form>
    </Section>
  )
}

export const ListingForm = ({ id, record }: FormProps) => (
  <Section id="change" title="Change">
    <form method="post" action={`/operations/listings/${id}`} class="panel flow">
      <Shown record={record} names={listingFieldsWithShop} />
      <ListingInputs record={record} />
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

const Save = () => (
  <p class="actions">
    <Submit kind="primary">{usePage().texts.recordForm.save}</Submit>
  </p>
)
