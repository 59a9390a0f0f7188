/** The two kinds as the contract's tables spell them, and a client for either. */
import { call } from '../support/api.ts'

const place = ['street', 'postal', 'city', 'country', 'companyName', 'taxId']
const always = ['id', 'userId', 'createdAt', 'updatedAt', 'deletedAt']

export type Address = {
  id: number
  createdAt: string
  updatedAt: string
  deletedAt: string | null
  [key: string]: unknown
}

type Kind = {
  kind: 'delivery' | 'billing'
  flag: string
  texts: string[]
  keys: string[]
  list: string
  created: string
  updated: string
  createPath: string
  path: string
}

export const delivery: Kind = {
  kind: 'delivery',
  flag: 'default',
  texts: ['name', ...place, 'email', 'mobilePhone'],
  keys: [...always, 'name', ...place, 'email', 'mobilePhone', 'default'].sort(),
  list: 'deliveryAddresses',
  created: 'newDeliveryAddress',
  updated: 'updatedDeliveryAddress',
  createPath: '/api/public/deliveryAddress',
  path: '/api/public/deliveryAddress',
}

export const billing: Kind = {
  kind: 'billing',
  flag: 'isDefault',
  texts: place,
  keys: [...always, ...place, 'isDefault'].sort(),
  list: 'billingAddresses',
  created: 'newBillingAddress',
  updated: 'updatedBillingAddress',
  // The path as the contract gives it for this operation.
  createPath: '/api/public/deliveryAddress',
  path: '/api/public/billingAddress',
}

export const kinds = [delivery, billing]

/** One of each field, valid in both kinds once cut to their texts. */
const texts: Record<string, string> = {
  name: 'Ada Lovelace',
  street: '12 St James’s Square',
  postal: 'SW1Y 4JH',
  city: 'London',
  country: 'GB',
  companyName: 'Analytical Engines',
  taxId: 'GB123456789',
  email: 'ada@example.com',
  mobilePhone: '+44 20 7946 0000',
}

export const textsOf = ({ texts: names }: Kind): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, texts[name] ?? '']))

/** The one value of an answer that has exactly one key. */
async function under<T>(key: string, response: Response): Promise<T> {
  const body = await response.json<Record<string, T>>()
  const value = body[key]
  if (response.status !== 200 || value === undefined || Object.keys(body).length !== 1)
    throw new Error(`not a 200 with ${key} alone: ${response.status} ${JSON.stringify(body)}`)
  return value
}

export async function create({ createPath, created }: Kind, token: string, json: unknown) {
  return under<Address>(created, await call('POST', createPath, { token, json }))
}

export async function list({ list }: Kind, token: string, user: number | 'me' = 'me') {
  return under<Address[]>(list, await call('GET', `/api/public/user/${user}/${list}`, { token }))
}

export const update = ({ path }: Kind, token: string, id: unknown, json: unknown) =>
  call('PUT', `${path}?id=${id}`, { token, json })

export const remove = ({ path }: Kind, token: string, id: unknown) =>
  call('DELETE', `${path}?id=${id}`, { token })

export const updated = ({ updated }: Kind, response: Response) => under<Address>(updated, response)
