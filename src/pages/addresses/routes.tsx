/** Settings → Addresses: the delivery and billing addresses of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import {
  createAddress,
  deleteAddress,
  restoreAddress,
  updateAddress,
} from '../../addresses/change.ts'
import { type Deleted, readAddress, readAddressBook } from '../../addresses/list.ts'
import { type AddressFields, BillingFields, DeliveryFields } from '../../addresses/schema.ts'
import { type Account, readAccount } from '../../auth/session.ts'
import { addressKinds } from '../../db/schema/users.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, inputText } from '../../http/inputs.ts'
import { checkbox, parseForm, rejectionOf } from '../components/forms.tsx'
import type { Rejection } from '../components/request.ts'
import { page, sent, shown } from '../page.tsx'
import type { NoticeName } from '../settings.tsx'
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

export const addressBookRoutes = new Endpoints()
  .get(
    '/settings/addresses',
    shown.session({ query: BookQuery }),
    (c, { query: { kind, deleted } }) =>
      bookPage(c, { deleted: kind && deleted ? { kind, id: deleted } : undefined }),
  )
  .get(
    '/settings/addresses/:kind/new',
    shown.session({ param: Kind }),
    async (c, { param: { kind } }) =>
      formPage(c, await readAccount(c.var), { kind, values: {}, isDefault: false }),
  )
  .post(
    '/settings/addresses/:kind/new',
    sent.session({ param: Kind, form: Form }),
    (c, { param, form }) => save(c, param, form),
  )
  .get('/settings/addresses/:kind/:id', shown.session({ param: Target }), async (c, { param }) => {
    const { account, address } = await readAddress(c.var, param)
    return formPage(c, account, { ...param, values: address, isDefault: address.isDefault })
  })
  .post(
    '/settings/addresses/:kind/:id',
    sent.session({ param: Target, form: Form }),
    (c, { param, form }) => save(c, param, form),
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
  .post('/settings/addresses/:kind/:id/restore', action, async (c, { param }) => {
    try {
      await restoreAddress(c.var, param)
    } catch (error) {
      return bookPage(c, { rejection: rejectionOf(error, {}, 'form') })
    }
    return c.redirect(bookPath('address-restored'), 303)
  })

const bookPath = (notice: NoticeName) => `/settings/addresses?notice=${notice}`

function allowNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}

type BookState = { deleted?: Deleted | undefined; rejection?: Rejection }

async function bookPage(c: Context<AppWithCaller>, { deleted, rejection }: BookState) {
  const { account, ...book } = await readAddressBook(c.var, deleted)
  const view = <AddressBook {...book} />
  return page(c, { title: 'Addresses', section: 'addresses', account, rejection }, view)
}

type Entered = Pick<AddressFormProps, 'kind' | 'id'>

/** Saves what the user has entered, or shows the form again with what is wrong. */
async function save(
  c: Context<AppWithCaller>,
  { kind, id }: Entered,
  values: z.infer<typeof Form>,
) {
  const { isDefault } = values
  try {
    const address = { ...parseForm<AddressFields>(schemas[kind], values), isDefault }
    if (id) await updateAddress(c.var, { kind, id, changes: address })
    else await createAddress(c.var, { kind, ...address, userId: c.var.caller.userId })
  } catch (error) {
    const rejection = rejectionOf(error, values, 'form')
    const account = id ? (await readAddress(c.var, { kind, id })).account : await readAccount(c.var)
    return formPage(c, account, { kind, id, values, isDefault }, rejection)
  }
  return c.redirect(bookPath(id ? 'address-saved' : 'address-added'), 303)
}

function formPage(
  c: Context<AppWithCaller>,
  account: Account,
  address: AddressFormProps,
  rejection?: Rejection,
) {
  const title = address.id ? 'Edit address' : 'New address'
  return page(c, { title, section: 'addresses', account, rejection }, <AddressForm {...address} />)
}
