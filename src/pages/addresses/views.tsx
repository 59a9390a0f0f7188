/** The address book of a user, and the form of an address. */
import type { Deleted, readAddressBook } from '../../addresses/list.ts'
import type { AddressFields, AddressKind } from '../../addresses/schema.ts'
import type { Texts } from '../../texts/en.ts'
import { Field, LinkButton, PostButton, Submit, useProblem, Warning } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Rows } from '../components/lists.tsx'
import { type Found, usePage } from '../components/request.ts'

type FieldName = keyof AddressFields
type Values = { [Name in FieldName]?: string | null }
type Address = Values & { id: number; isDefault: boolean }

export const AddressBook = ({ delivery, billing, undo }: Found<typeof readAddressBook>) => (
  <>
    {undo && <UndoDeletion {...undo} />}
    <Problem />
    <h2>{usePage().texts.settings.addresses}</h2>
    <AddressList kind="delivery" addresses={delivery} />
    <AddressList kind="billing" addresses={billing} />
  </>
)

/** Why an address as a whole was rejected. */
const Problem = () => {
  const problem = useProblem('form')
  return problem ? <Warning>{problem}</Warning> : null
}

const UndoDeletion = ({ kind, id }: Deleted) => (
  <div class="notice done" role="status">
    <p>{usePage().texts.addresses.removed}</p>
    <form method="post" action={`/settings/addresses/${kind}/${id}/restore`}>
      <button class="link" type="submit">
        {usePage().texts.addresses.undo}
      </button>
    </form>
  </div>
)

const AddressList = ({ kind, addresses }: { kind: AddressKind; addresses: Address[] }) => {
  const texts = usePage().texts.addresses
  return (
    <section class="flow">
      <div class="page-head">
        <h3 id={kind}>{texts[kind].title}</h3>
        <LinkButton href={`/settings/addresses/${kind}/new`} kind="small">
          <Icon name="plus" />
          {texts.add}
          <span class="visually-hidden">{texts[kind].add}</span>
        </LinkButton>
      </div>
      <Rows
        items={addresses}
        empty={texts[kind].none}
        labelledby={kind}
        row={(address) => <AddressRow kind={kind} address={address} />}
      />
    </section>
  )
}

const AddressRow = ({ kind, address }: { kind: AddressKind; address: Address }) => {
  const texts = usePage().texts.addresses
  const [title, ...lines] = addressLines(address, texts)
  const path = `/settings/addresses/${kind}/${address.id}`
  const name = <span class="visually-hidden"> {title}</span>
  return (
    <li class="row">
      <div class="row-head">
        <h4>{title}</h4>
        {address.isDefault && <span class="badge strong">{texts.default}</span>}
      </div>
      <p class="meta">
        {lines.map((line) => (
          <span>{line}</span>
        ))}
      </p>
      <div class="actions">
        {!address.isDefault && (
          <PostButton action={`${path}/default`}>
            {texts.makeDefault}
            {name}
          </PostButton>
        )}
        <LinkButton href={path} kind="small">
          {texts.edit}
          {name}
        </LinkButton>
        <PostButton action={`${path}/delete`}>
          {texts.remove}
          {name}
        </PostButton>
      </div>
    </li>
  )
}

const joined = (separator: string, ...texts: (string | null | undefined)[]) =>
  texts.filter(Boolean).join(separator)

/** The parts of an address that are filled in: who, where, and how to reach them. */
function addressLines(address: Address, texts: Texts['addresses']): string[] {
  const lines = [
    joined(', ', address.name, address.companyName),
    joined(', ', address.street, joined(' ', address.postal, address.city), address.country),
    address.email,
    address.mobilePhone,
    address.taxId && texts.taxNumber(address.taxId),
  ].flatMap((line) => line || [])
  return lines.length > 0 ? lines : [texts.empty]
}

type FieldInfo = { autocomplete: string; type?: string; isWide?: boolean }

/** `autocomplete` is the name of HTML for autofill, after `shipping` or `billing`. */
const fields: Record<FieldName, FieldInfo> = {
  name: { autocomplete: 'name' },
  companyName: { autocomplete: 'organization' },
  street: { autocomplete: 'address-line1', isWide: true },
  postal: { autocomplete: 'postal-code' },
  city: { autocomplete: 'address-level2' },
  country: { autocomplete: 'country-name' },
  taxId: { autocomplete: 'off' },
  email: { autocomplete: 'email', type: 'email' },
  mobilePhone: { autocomplete: 'tel', type: 'tel' },
}

const fieldNames: Record<AddressKind, FieldName[]> = {
  delivery: Object.keys(fields) as FieldName[],
  billing: ['companyName', 'taxId', 'street', 'postal', 'city', 'country'],
}

export const requiredFields = ['street', 'city', 'country'] as const satisfies FieldName[]

const autocompleteSections = { delivery: 'shipping', billing: 'billing' }

/** `id` is that of the address to change; undefined for a new one. */
export type AddressFormProps = {
  kind: AddressKind
  id?: number | undefined
  values: Values & { isDefault: boolean }
}

export const AddressForm = ({ kind, id, values }: AddressFormProps) => {
  const { addresses: texts, layout } = usePage().texts
  return (
    <>
      <h2>{texts[kind][id ? 'edit' : 'create']}</h2>
      <Problem />
      <form method="post" action={`/settings/addresses/${kind}/${id ?? 'new'}`} class="panel">
        <div class="fields">
          {fieldNames[kind].map((name) => (
            <AddressField kind={kind} name={name} value={values[name] ?? ''} />
          ))}
        </div>
        <label class="check">
          <input type="checkbox" name="isDefault" checked={values.isDefault} />
          {texts[kind].useAsDefault}
        </label>
        <p class="actions">
          <Submit kind="primary">{id ? texts.save : texts.submit}</Submit>
          <LinkButton href="/settings/addresses">{layout.cancel}</LinkButton>
        </p>
      </form>
    </>
  )
}

type AddressFieldProps = { kind: AddressKind; name: FieldName; value: string }

const AddressField = ({ kind, name, value }: AddressFieldProps) => {
  const texts = usePage().texts.addresses
  const { autocomplete, type = 'text', isWide } = fields[name]
  const isRequired = requiredFields.some((required) => required === name)
  const section = autocomplete === 'off' ? '' : `${autocompleteSections[kind]} `
  return (
    <div class={isWide ? 'wide' : undefined}>
      <Field
        name={name}
        label={isRequired ? texts.fields[name] : texts.optional(texts.fields[name])}
        required={isRequired}
        type={type}
        value={value}
        maxlength={255}
        autocomplete={section + autocomplete}
      />
    </div>
  )
}
