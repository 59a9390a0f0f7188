/** Examples of properties and parameters, by name. A name has the same meaning everywhere. */
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const hash = '0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b'
const picture = 'c77822cbf30c9e42bf4783c432125721cee051e395587bd1.jpg'

const exampleOf: Record<string, unknown> = {
  address: wallet,
  avatarUrl: `https://marketplace.example.com/avatars/3/${picture}`,
  buyerId: 3,
  buyerUserId: 3,
  city: 'Oslo',
  country: 'Norway',
  email: 'bo@example.com',
  ethereumPublicAddr: wallet,
  hash,
  id: 1,
  listingId: 2,
  name: 'Bo Berg',
  nftId: 2,
  order_ids: '1,2',
  picture,
  postal: '0150',
  priceCents: 1000,
  priceEths: '0.005',
  providerId: null,
  quantity: 1,
  street: 'Karl Johans gate 1',
  txId: hash,
  user_id: 'me',
  userId: 3,
}

/** A property of this name has another meaning in each schema. */
const exampleOfParameter: Record<string, unknown> = { ...exampleOf, status: 'failed' }

/** Adds examples to all properties and parameters in a part of the document. */
export function addExamples(part: object): void {
  const { properties = {}, name, in: place } = part as Partial<Record<string, object>>
  for (const [property, schema] of Object.entries(properties))
    if (property in exampleOf && !('$ref' in schema))
      Object.assign(schema, { examples: [exampleOf[property]] })
  if (place && String(name) in exampleOfParameter)
    Object.assign(part, { example: String(exampleOfParameter[String(name)]) })
  for (const child of Object.values(part))
    if (typeof child === 'object' && child !== null) addExamples(child)
}
