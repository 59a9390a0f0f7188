/** Settings → Addresses: the delivery and billing addresses of a user. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { deleteAddress, restoreAddress, updateAddress } from '../../addresses/change.ts'
import { createAddress } from '../../addresses/create.ts'
import { type Deleted, readAddress, readAddressBook } from '../../addresses/list.ts'
import { type AddressFields, BillingFields, DeliveryFields } from '../../addresses/schema.ts'
import { readAccount } from '../../auth/session.ts'
import { addressKinds } from '../../db/schema/users.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireSession, validate } from '../../http/endpoint.ts'
import { ApiError, errorStatus } from '../../http/errors.ts'
import { idText } from '../../http/ids.ts'
import { inputText } from '../../http/inputs.ts'
import { type Problems, problemsIn, sentence } from '../components/field.tsx'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { AddressForm, type AddressFormState, requiredFields } from './form.tsx'
import { AddressBook } from './views.tsx'

const Kind = z.object({ kind: z.enum(addressKinds) })
const Target = Kind.extend({ id: idText })

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000).default('')
const texts = Object.fromEntries(DeliveryFields.keyof().options.map((name) => [name, text]))
const Form = z.object({
  ...(texts as Record<keyof AddressFields, typeof text>),
  isDefault: z
    .literal('on')
    .optional()
    .transform((value) => value === 'on'),
})

const fieldSchemas = { delivery: DeliveryFields, billing: BillingFields }

export const addressBookRoutes = new Hono<App>()
  .get(
    '/settings/addresses',
    requireSession(),
    validate(
      'query',
      z.object({
        notice: NoticeName,
        kind: Kind.shape.kind.optional().catch(undefined),
        deleted: idText.optional().catch(undefined),
      }),
    ),
    (c) => {
      const { notice, kind, deleted } = c.req.valid('query')
      return bookPage(c, { notice, deleted: kind && deleted ? { kind, id: deleted } : undefined })
    },
  )
  .get('/settings/addresses/:kind/new', requireSession(), validate('param', Kind), async (c) => {
    const account = await readAccount(c.var)
    const { kind } = c.req.valid('param')
    return page(c, {
      title: 'New address',
      account,
      children: <AddressForm kind={kind} values={{}} isDefault={false} />,
    })
  })
  .post(
    '/settings/addresses/:kind/new',
    requireSession(),
    validate('param', Kind),
    validate('form', Form),
    (c) => {
      const { kind } = c.req.valid('param')
      return save(c, { kind, values: c.req.valid('form') }, 'address-added', (address) =>
        createAddress(c.var, { kind, ...address, userId: c.var.caller.userId }),
      )
    },
  )
  .get('/settings/addresses/:kind/:id', requireSession(), validate('param', Target), async (c) => {
    const { kind, id } = c.req.valid('param')
    const { account, address } = await readAddress(c.var, { kind, id })
    return page(c, {
      title: 'Edit address',
      account,
      children: <AddressForm kind={kind} id={id} values={address} isDefault={address.default} />,
    })
  })
  .post(
    '/settings/addresses/:kind/:id',
    requireSession(),
    validate('param', Target),
    validate('form', Form),
    (c) => {
      const { kind, id } = c.req.valid('param')
      return save(c, { kind, id, values: c.req.valid('form') }, 'address-saved', (address) =>
        updateAddress(c.var, { kind, id, changes: address }),
      )
    },
  )
  .post(
    '/settings/addresses/:kind/:id/default',
    requireSession(),
    validate('param', Target),
    async (c) => {
      const { kind, id } = c.req.valid('param')
      await updateAddress(c.var, { kind, id, changes: { isDefault: true } })
      return c.redirect(bookPath('default-changed'), 303)
    },
  )
  .post(
    '/settings/addresses/:kind/:id/delete',
    requireSession(),
    validate('param', Target),
    async (c) => {
      const { kind, id } = c.req.valid('param')
      // After a second click the address is deleted already. The page says whether it is.
      await deleteAddress(c.var, { kind, id }).catch(allowNotFound)
      return c.redirect(`/settings/addresses?kind=${kind}&deleted=${id}`, 303)
    },
  )
  .post(
    '/settings/addresses/:kind/:id/restore',
    requireSession(),
    validate('param', Target),
    async (c) => {
      const { kind, id } = c.req.valid('param')
      try {
        await restoreAddress(c.var, { kind, id })
      } catch (error) {
        return bookPage(c, { problem: requireTooMany(error) })
      }
      return c.redirect(bookPath('address-restored'), 303)
    },
  )

const bookPath = (notice: Notice) => `/settings/addresses?notice=${notice}`

type BookState = { notice?: Notice | undefined; deleted?: Deleted | undefined; problem?: string }

async function bookPage(c: Context<AppWithCaller>, { deleted, ...state }: BookState) {
  const { account, ...book } = await readAddressBook(c.var, deleted)
  return page(c, {
    title: 'Addresses',
    account,
    status: state.problem ? errorStatus.too_many_addresses : 200,
    children: <AddressBook {...book} {...state} />,
  })
}

type Entered = { kind: AddressFormState['kind']; id?: number; values: z.infer<typeof Form> }
type NewValues = AddressFields & { isDefault: boolean }

/** Names the required fields that are empty; undefined if there are none. */
function missingIn(fields: AddressFields): Problems<keyof AddressFields> | undefined {
  const missing = requiredFields.filter((name) => !fields[name])
  if (missing.length > 0) return Object.fromEntries(missing.map((name) => [name, 'Is required.']))
}

/** Saves what the user has entered, or shows the form again with what is wrong. */
async function save(
  c: Context<AppWithCaller>,
  { kind, id, values }: Entered,
  notice: Notice,
  write: (address: NewValues) => Promise<unknown>,
) {
  const { isDefault } = values
  const fields = fieldSchemas[kind].safeParse(values)
  const problems = fields.success ? missingIn(fields.data) : problemsIn(fields.error)
  if (!fields.success || problems) return rejectedPage(c, { kind, id, values, isDefault, problems })
  try {
    await write({ ...fields.data, isDefault })
  } catch (error) {
    return rejectedPage(c, { kind, id, values, isDefault, problem: requireTooMany(error) })
  }
  return c.redirect(bookPath(notice), 303)
}

function allowNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}

/** Returns the sentence of `too_many_addresses`. Throws every other error. */
function requireTooMany(error: unknown): string {
  if (error instanceof ApiError && error.code === 'too_many_addresses')
    return sentence(error.message)
  throw error
}

async function rejectedPage(c: Context<AppWithCaller>, state: AddressFormState) {
  const { kind, id, problem } = state
  const account = id ? (await readAddress(c.var, { kind, id })).account : await readAccount(c.var)
  return page(c, {
    title: id ? 'Edit address' : 'New address',
    account,
    status: problem ? errorStatus.too_many_addresses : 400,
    children: <AddressForm {...state} />,
  })
}
