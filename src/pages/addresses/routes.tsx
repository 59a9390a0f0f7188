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
import { checkbox, parseForm, type Rejection, rejectionOf } from '../components/form.ts'
import { page } from '../page.tsx'
import type { NoticeName } from '../settings.tsx'
import { AddressForm, type AddressFormState, requiredFields } from './form.tsx'
import { AddressBook } from './views.tsx'

const Kind = z.object({ kind: z.enum(addressKinds) })
const Target = Kind.extend({ id: idText })

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

export const addressBookRoutes = new Endpoints()
  .get(
    '/settings/addresses',
    {
      access: 'session',
      reads: 'nearest',
      input: {
        query: z.object({
          kind: Kind.shape.kind.optional().catch(undefined),
          deleted: idText.optional().catch(undefined),
        }),
      },
    },
    (c, { query: { kind, deleted } }) => {
      return bookPage(c, { deleted: kind && deleted ? { kind, id: deleted } : undefined })
    },
  )
  .get(
    '/settings/addresses/:kind/new',
    { access: 'session', reads: 'nearest', input: { param: Kind } },
    async (c, { param: { kind } }) => {
      return formPage(c, await readAccount(c.var), { kind, values: {}, isDefault: false })
    },
  )
  .post(
    '/settings/addresses/:kind/new',
    { access: 'session', reads: 'primary', input: { param: Kind, form: Form } },
    (c, { param: { kind }, form }) => {
      return save(c, { kind, values: form }, 'address-added', (address) =>
        createAddress(c.var, { kind, ...address, userId: c.var.caller.userId }),
      )
    },
  )
  .get(
    '/settings/addresses/:kind/:id',
    { access: 'session', reads: 'nearest', input: { param: Target } },
    async (c, { param: { kind, id } }) => {
      const { account, address } = await readAddress(c.var, { kind, id })
      return formPage(c, account, { kind, id, values: address, isDefault: address.isDefault })
    },
  )
  .post(
    '/settings/addresses/:kind/:id',
    { access: 'session', reads: 'primary', input: { param: Target, form: Form } },
    (c, { param: { kind, id }, form }) => {
      return save(c, { kind, id, values: form }, 'address-saved', (address) =>
        updateAddress(c.var, { kind, id, changes: address }),
      )
    },
  )
  .post(
    '/settings/addresses/:kind/:id/default',
    { access: 'session', reads: 'primary', input: { param: Target } },
    async (c, { param: { kind, id } }) => {
      await updateAddress(c.var, { kind, id, changes: { isDefault: true } })
      return c.redirect(bookPath('default-changed'), 303)
    },
  )
  .post(
    '/settings/addresses/:kind/:id/delete',
    { access: 'session', reads: 'primary', input: { param: Target } },
    async (c, { param: { kind, id } }) => {
      // After a second click the address is deleted already. The page says whether it is.
      await deleteAddress(c.var, { kind, id }).catch(allowNotFound)
      return c.redirect(`/settings/addresses?kind=${kind}&deleted=${id}`, 303)
    },
  )
  .post(
    '/settings/addresses/:kind/:id/restore',
    { access: 'session', reads: 'primary', input: { param: Target } },
    async (c, { param: { kind, id } }) => {
      try {
        await restoreAddress(c.var, { kind, id })
      } catch (error) {
        return bookPage(c, { rejection: rejectionOf(error, ['too_many_addresses'], 'form') })
      }
      return c.redirect(bookPath('address-restored'), 303)
    },
  )

const bookPath = (notice: NoticeName) => `/settings/addresses?notice=${notice}`

type BookState = { deleted?: Deleted | undefined; rejection?: Rejection }

async function bookPage(c: Context<AppWithCaller>, { deleted, rejection }: BookState) {
  const { account, ...book } = await readAddressBook(c.var, deleted)
  return page(c, {
    title: 'Addresses',
    account,
    status: rejection?.status ?? 200,
    children: <AddressBook {...book} problem={rejection?.problems.form} />,
  })
}

type Entered = { kind: AddressFormState['kind']; id?: number; values: z.infer<typeof Form> }
type NewValues = AddressFields & { isDefault: boolean }

/** Saves what the user has entered, or shows the form again with what is wrong. */
async function save(
  c: Context<AppWithCaller>,
  { kind, id, values }: Entered,
  notice: NoticeName,
  write: (address: NewValues) => Promise<unknown>,
) {
  const { isDefault } = values
  try {
    await write({ ...parseForm<AddressFields>(schemas[kind], values), isDefault })
    return c.redirect(bookPath(notice), 303)
  } catch (error) {
    const rejection = rejectionOf(error, ['invalid_input', 'too_many_addresses'], 'form')
    const account = id ? (await readAddress(c.var, { kind, id })).account : await readAccount(c.var)
    return formPage(c, account, { kind, id, values, isDefault, rejection })
  }
}

function allowNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}

const formPage = (c: Context<AppWithCaller>, account: Account, state: AddressFormState) =>
  page(c, {
    title: state.id ? 'Edit address' : 'New address',
    account,
    status: state.rejection?.status ?? 200,
    children: <AddressForm {...state} />,
  })
