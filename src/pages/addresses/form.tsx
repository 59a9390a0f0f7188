import type { AddressFields, AddressKind } from '../../addresses/schema.ts'
import { Field, type Problems } from '../components/field.tsx'
import { SettingsPage } from '../settings.tsx'

type FieldName = keyof AddressFields

/** The texts of an address. */
export type Values = { [Name in FieldName]?: string | null }

export type AddressFormState = {
  kind: AddressKind
  /** The address to change; undefined for a new one. */
  id?: number | undefined
  values: Values
  isDefault: boolean
  problems?: Problems<FieldName> | undefined
  /** Why the address as a whole was rejected. */
  problem?: string
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

const fieldSchemas: Record<AddressKind, FieldName[]> = {
  delivery: [
    'name',
    'companyName',
    'street',
    'postal',
    'city',
    'country',
    'taxId',
    'email',
    'mobilePhone',
  ],
  billing: ['companyName', 'taxId', 'street', 'postal', 'city', 'country'],
}

/** Without these, an address leads nowhere. The API also takes incomplete ones. */
export const requiredFields = ['street', 'city', 'country'] as const satisfies FieldName[]

const autocompleteSections = { delivery: 'shipping', billing: 'billing' }

/** The form that adds or changes an address. */
export const AddressForm = (state: AddressFormState) => {
  const { kind, id, values, isDefault, problems = {}, problem } = state
  return (
    <SettingsPage section="addresses" notice={undefined}>
      <h2>
        {id ? 'Edit' : 'New'} {kind} address
      </h2>
      {problem && (
        <p class="notice warn" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action={`/settings/addresses/${kind}/${id ?? 'new'}`} class="panel">
        <div class="fields">
          {fieldSchemas[kind].map((name) => (
            <AddressField
              kind={kind}
              name={name}
              value={values[name] ?? ''}
              problem={problems[name]}
            />
          ))}
        </div>
        <label class="check">
          <input type="checkbox" name="isDefault" checked={isDefault} />
          Use as the default {kind} address
        </label>
        <p class="actions">
          <button class="button primary" type="submit">
            {id ? 'Save' : 'Add address'}
          </button>
          <a class="button" href="/settings/addresses">
            Cancel
          </a>
        </p>
      </form>
    </SettingsPage>
  )
}

type AddressFieldProps = {
  kind: AddressKind
  name: FieldName
  value: string
  problem: string | undefined
}

const AddressField = ({ kind, name, value, problem }: AddressFieldProps) => {
  const { label, autocomplete, type = 'text', isWide } = fields[name]
  const isRequired = requiredFields.some((required) => required === name)
  return (
    <div class={isWide ? 'wide' : undefined}>
      <Field
        name={name}
        label={isRequired ? label : `${label} (optional)`}
        required={isRequired}
        type={type}
        value={value}
        problem={problem}
        maxlength={255}
        autocomplete={
          autocomplete === 'off' ? 'off' : `${autocompleteSections[kind]} ${autocomplete}`
        }
      />
    </div>
  )
}
