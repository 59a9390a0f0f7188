/** The address book of a user, and the form of an address. */
import type { Deleted, readAddressBook } from '../../addresses/list.ts'
import type { AddressFields, AddressKind } from '../../addresses/schema.ts'
import { Field, LinkButton, PostButton, Submit, useProblem, Warning } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Rows } from '../components/lists.tsx'
import type { Found } from '../components/request.ts'

type FieldName = keyof AddressFields
type Values = { [Name in FieldName]?: string | null }
type Address = Values & { id: number; isDefault: boolean }

export const AddressBook = ({ delivery, billing, undo }: Found<typeof readAddressBook>) => (
  <>
    {undo && <UndoDeletion {...undo} />}
    <Problem />
    <h2>Addresses</h2>
    <AddressList kind="delivery" title="Delivery addresses" addresses={delivery} />
    <AddressList kind="billing" title="Billing addresses" addresses={billing} />
  </>
)

/** Why an address as a whole was rejected. */
const Problem = () => {
  const problem = useProblem('form')
  return problem ? <Warning>{problem}</Warning> : null
}

const UndoDeletion = ({ kind, id }: Deleted) => (
  <div class="notice done" role="status">
    <p>The address is deleted.</p>
    <form method="post" action={`/settings/addresses/${kind}/${id}/restore`}>
      <button class="link" type="submit">
        Undo
      </button>
    </form>
  </div>
)

type AddressListProps = { kind: AddressKind; title: string; addresses: Address[] }

const AddressList = ({ kind, title, addresses }: AddressListProps) => (
  <section class="flow">
    <div class="page-head">
      <h3 id={kind}>{title}</h3>
      <LinkButton href={`/settings/addresses/${kind}/new`} kind="small">
        <Icon name="plus" />
        Add<span class="visually-hidden"> a {kind} address</span>
      </LinkButton>
    </div>
    <Rows
      items={addresses}
      empty={`You have no ${kind} address yet.`}
      labelledby={kind}
      row={(address) => <AddressRow kind={kind} address={address} />}
    />
  </section>
)

const AddressRow = ({ kind, address }: { kind: AddressKind; address: Address }) => {
  const [title, ...lines] = addressLines(address)
  const path = `/settings/addresses/${kind}/${address.id}`
  const name = <span class="visually-hidden"> {title}</span>
  return (
    <li class="row">
      <div class="row-head">
        <h4>{title}</h4>
        {address.isDefault && <span class="badge strong">Default</span>}
      </div>
      <p class="meta">
        {lines.map((line) => (
          <span>{line}</span>
        ))}
      </p>
      <div class="actions">
        {!address.isDefault && (
          <PostButton action={`${path}/default`}>Make default{name}</PostButton>
        )}
        <LinkButton href={path} kind="small">
          Edit{name}
        </LinkButton>
        <PostButton action={`${path}/delete`}>Delete{name}</PostButton>
      </div>
    </li>
  )
}

const joined = (separator: string, ...texts: (string | null | undefined)[]) =>
  texts.filter(Boolean).join(separator)

/** The parts of an address that are filled in: who, where, and how to reach them. */
function addressLines(address: Address): string[] {
  const lines = [
    joined(', ', address.name, address.companyName),
    joined(', ', address.street, joined(' ', address.postal, address.city), address.country),
    address.email,
    address.mobilePhone,
    address.taxId && `Tax id ${address.taxId}`,
  ].flatMap((line) => line || [])
  return lines.length > 0 ? lines : ['Empty address']
}

type FieldInfo = { label: string; autocomplete: string; type?: string; isWide?: boolean }

/** `autocomplete` is the name of HTML for autofill, after `shipping` or `billing`. */
const fields: Record<FieldName, FieldInfo> = {
  name: { label: 'Full name', autocomplete: 'name' },
  companyName: { label: 'Company', autocomplete: 'organization' },
  street: { label: 'Street and house number', autocomplete: 'address-line1', isWide: true },
  postal: { label: 'Postal code', autocomplete: 'postal-code' },
  city: { label: 'City', autocomplete: 'address-level2' },
  country: { label: 'Country', autocomplete: 'country-name' },
  taxId: { label: 'Tax id', autocomplete: 'off' },
  email: { label: 'E-mail address', autocomplete: 'email', type: 'email' },
  mobilePhone: { label: 'Phone', autocomplete: 'tel', type: 'tel' },
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

export const AddressForm = ({ kind, id, values }: AddressFormProps) => (
  <>
    <h2>
      {id ? 'Edit' : 'New'} {kind} address
    </h2>
    <Problem />
    <form method="post" action={`/settings/addresses/${kind}/${id ?? 'new'}`} class="panel">
      <div class="fields">
        {fieldNames[kind].map((name) => (
          <AddressField kind={kind} name={name} value={values[name] ?? ''} />
        ))}
      </div>
      <label class="check">
        <input type="checkbox" name="isDefault" checked={values.isDefault} />
        Use as the default {kind} address
      </label>
      <p class="actions">
        <Submit kind="primary">{id ? 'Save' : 'Add address'}</Submit>
        <LinkButton href="/settings/addresses">Cancel</LinkButton>
      </p>
    </form>
  </>
)

type AddressFieldProps = { kind: AddressKind; name: FieldName; value: string }

const AddressField = ({ kind, name, value }: AddressFieldProps) => {
  const { label, autocomplete, type = 'text', isWide } = fields[name]
  const isRequired = requiredFields.some((required) => required === name)
  const section = autocomplete === 'off' ? '' : `${autocompleteSections[kind]} `
  return (
    <div class={isWide ? 'wide' : undefined}>
      <Field
        name={name}
        label={isRequired ? label : `${label} (optional)`}
        required={isRequired}
        type={type}
        value={value}
        maxlength={255}
        autocomplete={section + autocomplete}
      />
    </div>
  )
}
