/** Settings → Addresses: the delivery and billing addresses of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import {
  createAddress,
  deleteAddress,
  restoreAddress,
  updateAddress,
} from '../../addresses/change.ts'
import { readAddress, readAddressBook } from '../../addresses/list.ts'
import { type AddressFields, BillingFields, DeliveryFields } from '../../addresses/schema.ts'
import { readAccount } from '../../auth/session.ts'
import { addressKinds } from '../../db/schema/users.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, inputText } from '../../http/inputs.ts'
import type { Texts } from '../../texts/en.ts'
import { checkbox, handleForm, parseForm } from '../components/forms.tsx'
import { page, sent, shown } from '../page.tsx'
import { AddressBook, AddressForm, type AddressFormProps, requiredFields } from './views.tsx'

const Kind = z.object({ kind: z.enum(addressKinds) })
const Target = Kind.extend({ id: idText })

const BookQuery = z.object({
  kind: Kind.shape.kind.optional().catch(undefined),
  deleted: idText.optional().catch(undefined),
})

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000).default('')
const texts = Object.fromEntries(DeliveryFields.keyof().options.map((name) => [name, text]))
const Form = z.object({
  ...(texts as Record<keyof AddressFields, typeof text>),
  isDefault: checkbox,
})

/** Without these, an address leads nowhere. The API also takes incomplete ones. */
const isComplete = z.superRefine<AddressFields>((fields, context) => {
  for (const name of requiredFields)
    if (!fields[name]) context.addIssue({ code: 'custom', path: [name], message: 'is required' })
})
const schemas = {
  delivery: DeliveryFields.check(isComplete),
  billing: BillingFields.check(isComplete),
}

const action = sent.session({ param: Target })

/** What the page says after a redirect. */
const notices = ({ addresses }: Texts) => addresses.notices

export const addressBookRoutes = new Endpoints({ isTranslated: true })
  .get('/settings/addresses', shown.session({ query: BookQuery }), bookPage)
  .get('/settings/addresses/:kind/new', shown.session({ param: Kind }), formPage)
  .post(
    '/settings/addresses/:kind/new',
    sent.session({ param: Kind, form: Form }),
    handleForm(formPage, 'form', async (c, { param, form: { isDefault, ...form } }) => {
      const address = parseForm<AddressFields>(schemas[param.kind], form)
      const { userId } = c.var.caller
      await createAddress(c.var, { ...param, ...address, isDefault, userId })
      return c.redirect(bookPath('address-added'), 303)
    }),
  )
  .get('/settings/addresses/:kind/:id', shown.session({ param: Target }), formPage)
  .post(
    '/settings/addresses/:kind/:id',
    sent.session({ param: Target, form: Form }),
    handleForm(formPage, 'form', async (c, { param, form: { isDefault, ...form } }) => {
      const address = parseForm<AddressFields>(schemas[param.kind], form)
      await updateAddress(c.var, { ...param, changes: { ...address, isDefault } })
      return c.redirect(bookPath('address-saved'), 303)
    }),
  )
  .post('/settings/addresses/:kind/:id/default', action, async (c, { param }) => {
    await updateAddress(c.var, { ...param, changes: { isDefault: true } })
    return c.redirect(bookPath('default-changed'), 303)
  })
  .post('/settings/addresses/:kind/:id/delete', action, async (c, { param }) => {
    // After a second click the address is deleted already. The page says whether it is.
    await deleteAddress(c.var, param).catch(allowNotFound)
    return c.redirect(`/settings/addresses?kind=${param.kind}&deleted=${param.id}`, 303)
  })
  .post(
    '/settings/addresses/:kind/:id/restore',
    action,
    handleForm(bookPage, 'form', async (c, { param }) => {
      await restoreAddress(c.var, param)
      return c.redirect(bookPath('address-restored'), 303)
    }),
  )

const bookPath = (notice: keyof ReturnType<typeof notices>) =>
  `/settings/addresses?notice=${notice}`

function allowNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}

type BookInput = { param?: unknown; query?: z.infer<typeof BookQuery> }

async function bookPage(c: Context<AppWithCaller>, { query = {} }: BookInput) {
  const { kind, deleted: id } = query
  const { account, ...book } = await readAddressBook(c.var, kind && id ? { kind, id } : undefined)
  const view = <AddressBook {...book} />
  const title = ({ settings }: Texts) => settings.addresses
  return page(c, { title, section: 'addresses', notices, account }, view)
}

type FormInput = {
  param: Pick<AddressFormProps, 'kind' | 'id'>
  form?: AddressFormProps['values']
}

/** The form of an address: as it was sent, as the address is stored, or empty. */
async function formPage(c: Context<AppWithCaller>, { param: { kind, id }, form }: FormInput) {
  const { account, address } = id
    ? await readAddress(c.var, { kind, id })
    : { account: await readAccount(c.var), address: { isDefault: false } }
  const view = <AddressForm kind={kind} id={id} values={form ?? address} />
  const title = ({ addresses }: Texts) => addresses[kind][id ? 'edit' : 'create']
  return page(c, { title, section: 'addresses', notices, account }, view)
}
