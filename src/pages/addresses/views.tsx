import type { Deleted } from '../../addresses/list.ts'
import type { AddressKind } from '../../addresses/schema.ts'
import { LinkButton, PostButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Warning } from '../components/notice.tsx'
import { Rows } from '../components/rows.tsx'
import { SettingsPage } from '../settings.tsx'
import type { Values } from './form.tsx'

type Address = Values & { id: number; isDefault: boolean }

type AddressBookProps = {
  delivery: Address[]
  billing: Address[]
  undo: Deleted | undefined
  problem: string | undefined
}

/** The delivery and billing addresses of a user. */
export const AddressBook = ({ delivery, billing, undo, problem }: AddressBookProps) => (
  <SettingsPage section="addresses" undo={undo && <UndoDeletion {...undo} />}>
    {problem && <Warning>{problem}</Warning>}
    <h2>Addresses</h2>
    <AddressList
      kind="delivery"
      title="Delivery addresses"
      empty="You have no delivery address yet."
      addresses={delivery}
    />
    <AddressList
      kind="billing"
      title="Billing addresses"
      empty="You have no billing address yet."
      addresses={billing}
    />
  </SettingsPage>
)

const UndoDeletion = ({ kind, id }: Deleted) => (
  <div class="notice" role="status">
    <p>The address is deleted.</p>
    <form method="post" action={`/settings/addresses/${kind}/${id}/restore`}>
      <button class="link" type="submit">
        Undo
      </button>
    </form>
  </div>
)

type AddressListProps = { kind: AddressKind; title: string; empty: string; addresses: Address[] }

const AddressList = ({ kind, title, empty, addresses }: AddressListProps) => (
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
      empty={empty}
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
  ].filter((line) => !!line)
  return lines.length > 0 ? (lines as string[]) : ['Empty address']
}
