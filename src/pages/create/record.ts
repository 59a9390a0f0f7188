/** The records of an NFT and of its listing, as one form has them. */
import * as z from 'zod'
import type { Fields } from '../../catalogue/change.ts'
import { inputText } from '../../http/inputs.ts'
import { catalogueLimits } from '../../limits.ts'
import { checkbox, parseForm } from '../components/forms.tsx'
import { enterAmount, enterCurrency, enterEnd, priceIn } from '../components/record-fields.ts'

/** The values are checked later, so that the page can show them again. */
const text = inputText(2000).default('')

/** The token that was chosen, in a query or in hidden fields. `token`: its id and how many are held, as in `7:3`. */
export const ChosenValues = z.object({
  network: text,
  contract: text,
  contractName: text,
  amountType: text,
  fulfilment: text,
  token: text,
})
export type Chosen = z.output<typeof ChosenValues>

export const RecordValues = ChosenValues.extend({
  title: text,
  description: inputText(2 * catalogueLimits.description.max).default(''),
  link: text,
  image: text,
  priceCents: text,
  priceCurrency: text,
  priceEths: text,
  amount: text,
  activeTill: text,
  /** Undefined if it stays as it is. */
  phrase: inputText(4000).optional(),
  shopUrl: text,
  confirm: checkbox,
  action: z.enum(['draft', 'publish']).default('draft'),
})
export type Entered = z.output<typeof RecordValues>

const chosenToken = /^(\d{1,78})(?::(\d{1,78}))?$/

/** Returns the pieces of the chosen token that the wallet holds; undefined for one that is to be minted. */
export const heldOf = ({ token }: Chosen): string | undefined => chosenToken.exec(token)?.[2]

/** Returns the record with which the form of a chosen token begins; null if none was chosen. */
export function startRecord({ token, ...chosen }: Chosen): Fields | null {
  const [, tokenId] = chosenToken.exec(token) ?? []
  if (tokenId === undefined) return null
  const { network, contract, contractName, amountType, fulfilment } = chosen
  return {
    ...{ network, contract, contractName, tokenId, amountType, amount: 1, fulfilment },
    ...{ priceEths: '0', priceCurrency: 'EUR', metadata: { name: '' } },
  }
}

/** What is shown as a link, and where a picture is read. */
export const ShownUrls = z.object({
  link: z.literal('').or(z.string().regex(/^https:\/\/[^/\s]+\S*$/, 'must be an https URL')),
  image: z
    .literal('')
    .or(z.string().regex(/^(https|ipfs):\/\/[^/\s]+\S*$/, 'must begin with https:// or ipfs://')),
})

function enterPrices(form: Entered): Fields {
  const priceCurrency = enterCurrency(form)
  const { priceCents } = parseForm(z.object({ priceCents: priceIn(priceCurrency) }), form)
  return { priceCents, priceEths: form.priceEths.trim() || '0', priceCurrency }
}

/** Returns the content with the phrase that was entered. */
function enterContent({ content }: Fields, { phrase }: Entered) {
  const { release = 'delivered', codes = false, files = [] } = Object(content)
  if (phrase === undefined) return content
  if (!phrase.trim() && !codes && files.length === 0) return null
  return { release, phrase: phrase.trim() ? phrase : null, codes, files }
}

/** Returns the fields of the NFT that were entered, for `planNft`. */
export function enterOwnNft(record: Fields, form: Entered): Fields {
  const { link, image } = parseForm(ShownUrls, { link: form.link.trim(), image: form.image.trim() })
  return {
    ...record,
    contractName: form.contractName,
    ...enterPrices(form),
    ...enterAmount(record, form),
    content: enterContent(record, form),
    metadata: {
      ...Object(record.metadata),
      name: form.title,
      description: form.description.replaceAll('\r\n', '\n').trim() || undefined,
      external_url: link || undefined,
      image: image || undefined,
    },
  }
}

/** Returns the fields of the listing of the NFT `ref` that were entered, for `planListing`. */
export const enterOwnOffer = (record: Fields, ref: string, form: Entered): Fields => ({
  ...record,
  nft: ref,
  ...enterPrices(form),
  activeTill: enterEnd(record, form),
  shopUrl: form.shopUrl.trim() || null,
})
