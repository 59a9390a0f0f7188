/** The JSON Schema of a line of a catalogue, `docs/catalogue.schema.json`, for editors. */
import * as z from 'zod'
import { CatalogueRecord } from '../../src/catalogue/record.ts'

const price = {
  priceCents: 'Price of one piece, in cents.',
  priceEths: 'Price of one piece in ETH, as in "0.05". Set this or `priceWei`.',
  priceWei: 'Price of one piece in wei. Set this or `priceEths`.',
  priceCurrency: 'Currency of `priceCents`, ISO 4217.',
}

/** By the type of the record and the name of the field. */
const descriptions: Record<string, Record<string, string>> = {
  user: {
    type: 'A creator or seller.',
    id: 'Your own id of the user, by which other records refer to it.',
    name: 'The name that others see.',
    username: '3 to 30 characters, a letter first: only a to z, 0 to 9 and _.',
    email: 'The address with which the user signs in. Set this, `ethereumPublicAddr` or both.',
    ethereumPublicAddr: 'The wallet with which the user signs in, and to which NFTs are sent.',
  },
  nft: {
    type: 'A token of a contract.',
    id: 'Your own id of the NFT, by which listings refer to it.',
    creator: 'The id of the user who made the NFT.',
    network: 'The name of the network in the configuration.',
    contract: 'The address of the token contract.',
    contractName: 'The name of the token contract.',
    tokenId: 'The id of the token in the contract, a uint256 as decimal digits.',
    amountType: 'Whether the pieces for sale are one, a number, or as many as are bought.',
    amount: 'Pieces that were issued. May be left out for a unique NFT.',
    status: 'Whether the NFT can be bought.',
    releaseAt: 'Time of the release. Without it, the time of the first import.',
    ...price,
    coverKey: 'The cover picture: its name below COVERS_URL. Without it, a cover is drawn.',
    category: 'A category of your own.',
    metadata: 'The metadata JSON of ERC-721 or ERC-1155, as it is. `name` is the title.',
  },
  listing: {
    type: 'An offer to sell an NFT.',
    id: 'Your own id of the listing.',
    nft: 'The id of the NFT.',
    seller: 'The id of the user who sells it.',
    saleType: 'A fixed price, or an auction.',
    ...price,
    amount: 'The most pieces of one order; null for no limit.',
    active: 'Whether orders are accepted.',
    activeTill: 'Time when the listing ends; null if it does not end.',
  },
}

type JsonSchema = z.core.JSONSchema.BaseSchema

export function catalogueSchema(): string {
  const options = { io: 'input', target: 'draft-7', unrepresentable: 'any' } as const
  const { oneOf = [], ...schema } = z.toJSONSchema(CatalogueRecord, options)
  const records = oneOf.map((record) => describeFields(Object(record)))
  const document = { title: 'A line of a catalogue', ...schema, oneOf: records }
  return `${JSON.stringify(document, null, 2)}\n`
}

function describeFields({ properties = {}, ...record }: JsonSchema): JsonSchema {
  const type = Object(properties.type).const
  const fields = Object.entries(properties).map(([name, field]) => {
    const description = descriptions[type]?.[name]
    return [name, { description, ...Object(field), ...(name === 'metadata' && metadata) }]
  })
  return { ...record, properties: Object.fromEntries(fields) }
}

const metadata = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 255 } },
}
