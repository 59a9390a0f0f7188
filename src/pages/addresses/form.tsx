import type { AddressFields, AddressKind } from '../../addresses/schema.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import type { Rejection } from '../components/form.ts'
import { Warning } from '../components/notice.tsx'
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
  /** `form` is why the address as a whole was rejected. */
  rejection?: Rejection<FieldName | 'form'>
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

/** The form that adds or changes an address. */
export const AddressForm = (state: AddressFormState) => {
  const { kind, id, values, isDefault, rejection } = state
  const problems = rejection?.problems ?? {}
  return (
    <SettingsPage section="addresses">
      <h2>
        {id ? 'Edit' : 'New'} {kind} address
      </h2>
      {problems.form && <Warning>{problems.form}</Warning>}
      <form method="post" action={`/settings/addresses/${kind}/${id ?? 'new'}`} class="panel">
        <div class="fields">
          {fieldNames[kind].map((name) => (
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
          <Submit kind="primary">{id ? 'Save' : 'Add address'}</Submit>
          <LinkButton href="/settings/addresses">Cancel</LinkButton>
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
