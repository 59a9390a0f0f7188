/** The two kinds of address, and calls of their endpoints. */
import { call } from '../support/api.ts'
import { documentedFields } from '../support/document.ts'
import { anAddress, aToken, aUser } from '../support/makers.ts'

export type Address = {
  id: number
  createdAt: string
  updatedAt: string
  deletedAt: string | null
  [key: string]: unknown
}

type Kind = {
  kind: 'delivery' | 'billing'
  otherKind: 'delivery' | 'billing'
  /** The field that marks the default address. */
  defaultField: string
  /** What the OpenAPI document calls it. */
  component: 'DeliveryAddress' | 'BillingAddress'
  /** The last segment of the path of the list, and the key of its response. */
  listKey: string
  createdKey: string
  updatedKey: string
  createPath: string
  path: string
}

export const delivery: Kind = {
  kind: 'delivery',
  otherKind: 'billing',
  defaultField: 'default',
  component: 'DeliveryAddress',
  listKey: 'deliveryAddresses',
  createdKey: 'newDeliveryAddress',
  updatedKey: 'updatedDeliveryAddress',
  createPath: '/api/public/deliveryAddress',
  path: '/api/public/deliveryAddress',
}

export const billing: Kind = {
  kind: 'billing',
  otherKind: 'delivery',
  defaultField: 'isDefault',
  component: 'BillingAddress',
  listKey: 'billingAddresses',
  createdKey: 'newBillingAddress',
  updatedKey: 'updatedBillingAddress',
  // The API specification uses the path of delivery addresses here.
  createPath: '/api/public/deliveryAddress',
  path: '/api/public/billingAddress',
}

export const kinds = [delivery, billing]

/** The fields of responses that a request may not set to text. */
const others = ['id', 'userId', 'default', 'isDefault', 'createdAt', 'updatedAt', 'deletedAt']

/** Returns a text for each text field of the kind. */
export const textsOf = ({ component }: Kind): Record<string, string> =>
  Object.fromEntries(
    documentedFields(component)
      .filter((name) => !others.includes(name))
      .map((name) => [name, name === 'email' ? 'ada@example.com' : `${name} 1`]),
  )

/** Returns the value of a response with one key. Throws if the response is anything else. */
async function valueIn<T>(response: Response, key: string): Promise<T> {
  const body = await response.json<Record<string, T>>()
  const value = body[key]
  if (response.status !== 200 || value === undefined || Object.keys(body).length !== 1)
    throw new Error(`not a 200 with only ${key}: ${response.status} ${JSON.stringify(body)}`)
  return value
}

export async function create({ createPath, createdKey }: Kind, token: string, json: unknown) {
  return valueIn<Address>(await call('POST', createPath, { token, json }), createdKey)
}

export async function list({ listKey }: Kind, token: string, user: number | 'me' = 'me') {
  const response = await call('GET', `/api/public/user/${user}/${listKey}`, { token })
  return valueIn<Address[]>(response, listKey)
}

export const update = ({ path }: Kind, token: string, id: unknown, json: unknown) =>
  call('PUT', `${path}?id=${id}`, { token, json })

export const remove = ({ path }: Kind, token: string, id: unknown) =>
  call('DELETE', `${path}?id=${id}`, { token })

/** A user with a token, and an address of the kind. */
export async function anOwner({ kind }: Kind, values: Parameters<typeof anAddress>[1] = {}) {
  const user = await aUser()
  const address = await anAddress(user, { kind, ...values })
  return { user, address, token: await aToken(user) }
}

/** Returns the address in the response of `update` or `remove`. */
export const addressIn = ({ updatedKey }: Kind, response: Response) =>
  valueIn<Address>(response, updatedKey)
