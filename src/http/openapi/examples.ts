/** Examples for the document: a name means the same wherever it stands, so each is told once. */

const exampleOf: Record<string, unknown> = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amount: 100,
  avatarUrl:
    'https://marketplace.example.com/avatars/3/c77822cbf30c9e42bf4783c432125721cee051e395587bd1.jpg',
  availableAmount: 97,
  buyerId: 3,
  buyerUserId: 3,
  category: 'art',
  chainId: 31337,
  chainTx: null,
  city: 'Oslo',
  companyName: null,
  contractAddr: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  contractName: 'Collectible',
  contractNetwork: 'ethereum',
  country: 'Norway',
  createdAt: '2026-01-31T12:00:00.000Z',
  creatorId: 2,
  creatorPublicAddr: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  deletedAt: null,
  email: 'bo@example.com',
  ethRecipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  ethereumPublicAddr: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  failReason: null,
  hash: '0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b',
  kid: '5317f8d0-0bf0-489b-ad79-981c5a90f1b1',
  listingId: 2,
  message: 'marketplace.example.com wants you to sign in with your Ethereum account: …',
  mobilePhone: '+47 400 00 000',
  name: 'Bo Berg',
  network: 'ethereum',
  nextCursor: '50',
  nftId: 2,
  order_ids: '1,2',
  payload: { amountType: 'limited', title: 'A picture' },
  paymentMethod: 'external',
  paymentProvider: 'external',
  picture: 'c77822cbf30c9e42bf4783c432125721cee051e395587bd1.jpg',
  postal: '0150',
  price: 1000,
  priceCents: 1000,
  priceCurrency: 'EUR',
  priceEths: '0.005',
  priceType: 'FIXED',
  priceWei: '5000000000000000',
  ProductType: 'nft',
  provider: 'external',
  providerId: null,
  rare: 4,
  reason: null,
  sellerId: 2,
  signature: '0x5d99b6f7f6d1f73d1a26497f2b1c89b24c0993913f86e9a2d02cd69887d9c94f',
  street: 'Karl Johans gate 1',
  taxId: null,
  title: 'A picture',
  tokenId: '1',
  total: 12,
  totalPriceCents: 1000,
  totalPriceCurrency: 'EUR',
  totalPriceEth: '0.005',
  txId: '0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b',
  unique: 7,
  updatedAt: '2026-01-31T12:00:00.000Z',
  user_id: 'me',
  userId: 3,
  username: 'bo',
  // RFC 8037, appendix A.2.
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

const formats: Record<string, string> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'bo@example.com',
  uri: 'https://marketplace.example.com',
  uuid: '5317f8d0-0bf0-489b-ad79-981c5a90f1b1',
}

type JsonSchema = {
  $ref?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  format?: string
  examples?: readonly unknown[]
}

type Described = { schema?: JsonSchema; example?: unknown; examples?: unknown }
type Content = { content?: Record<string, Described> }
type Operation = {
  parameters?: readonly (Described & { name?: string; required?: boolean })[]
  requestBody?: Content
  responses?: Record<string, Content>
}

export type Schemas = Record<string, JsonSchema>

/**
 * Adds an example to each JSON body, and to each parameter that must be given; `schemas` are the
 * components.
 */
export function illustrate(operation: Operation, schemas: Schemas): void {
  const { parameters = [], requestBody, responses = {} } = operation
  for (const parameter of parameters)
    if (parameter.required && parameter.schema)
      parameter.example = exampleFor(parameter.schema, schemas, parameter.name)
  for (const body of [requestBody, ...Object.values(responses)]) {
    const json = body?.content?.['application/json']
    if (json?.schema && !json.examples) json.example = exampleFor(json.schema, schemas)
  }
}

/** A value that the schema of this name takes. */
function exampleFor(schema: JsonSchema, schemas: Schemas, name = ''): unknown {
  const component = schemas[schema.$ref?.split('/').at(-1) ?? '']
  if (component) return exampleFor(component, schemas)
  if (schema.examples) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const known = exampleOf[name]
  if (known !== undefined && takes(schema, known)) return known
  if (schema.anyOf?.[0]) return exampleFor(schema.anyOf[0], schemas, name)
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, child]) => [
        key,
        exampleFor(child, schemas, key),
      ]),
    )
  if (schema.items) return [exampleFor(schema.items, schemas)]
  return plain(schema)
}

/** Whether a value is of a type that the schema takes. */
function takes({ type, anyOf, properties }: JsonSchema, value: unknown): boolean {
  if (anyOf) return anyOf.some((one) => takes(one, value))
  const types = [type ?? []].flat()
  if (value === null) return types.includes('null')
  if (typeof value === 'number') return types.includes('integer') || types.includes('number')
  return types.includes(typeof value) && !properties
}

function plain({ type, format = '' }: JsonSchema): unknown {
  if (type === 'string') return formats[format] ?? '1'
  if (type === 'integer') return 1
  if (type === 'boolean') return false
  if (type === 'object') return {}
  return null
}
