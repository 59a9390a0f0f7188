/** Operations → Catalogue: a file is shown before it is imported. */
import { beforeEach, describe, expect, it } from 'vitest'
import {
  catalogueImports,
  catalogueLines,
  creators,
  listings,
  nfts,
  words,
} from '../../src/db/schema/catalogue.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { tokens, users } from '../../src/db/schema/users.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { call } from '../support/api.ts'
import { aMasterToken, db } from '../support/makers.ts'
import { pageOf, type Visitor } from '../support/visitor.ts'
import { anAdministratorVisitor, read } from './operator.ts'

const PATH = '/operations/catalogue'

let visitor: Visitor

beforeEach(async () => {
  for (const table of [catalogueLines, catalogueImports, listings, nfts, words, creators, tokens])
    await db.delete(table)
  for (const table of [auditLog, users]) await db.delete(table)
  visitor = (await anAdministratorVisitor()).visitor
})

const upload = (content: string | Uint8Array<ArrayBuffer>, name = 'moons.jsonl') => {
  const form = new FormData()
  form.set('file', new File([content], name))
  return pageOf(visitor.post(PATH, { form }))
}

/** The fields of the form that imports what a page shows. */
const fieldsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )

const importShown = (html: string, more: Record<string, string> = {}) =>
  pageOf(visitor.post(`${PATH}/import`, { form: { ...fieldsIn(html), ...more } }))

const catalogue = [
  aUserRecord('cleo', { name: 'Cleo' }),
  anNftRecord('one', 1),
  aListingRecord('sale', 'one'),
]

/** Imports the records, as another operator may do it meanwhile. */
async function importedMeanwhile(records: readonly unknown[]) {
  const token = await aMasterToken()
  const { status } = await call('POST', '/api/admin/catalogue?confirm=true', {
    token,
    body: linesOf(records),
  })
  expect(status).toBe(200)
}

it('shows what a file would do, imports just that, and says so in the audit log', async () => {
  expect((await read(visitor, PATH)).text).toContain('At most 4 MiB and 20,000 lines.')
  const shown = await upload(linesOf(catalogue))
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('Nothing is imported yet. This is what moons.jsonl would do:')
  expect(shown.text).toContain('Users 1 0 0 NFTs 1 0 0 Listings 1 0 0')
  expect(shown.text).toContain('Line 1: User cleo New Line 2: NFT one New Line 3: Listing sale New')
  expect(await db.$count(nfts)).toBe(0)
  const { status, location } = await importShown(shown.html)
  expect(status).toBe(303)
  const { text } = await read(visitor, location ?? '')
  expect(text).toContain('The catalogue is imported.')
  expect(text).toContain('Users 1 0 0 NFTs 1 0 0 Listings 1 0 0')
  expect(await db.select().from(listings)).toMatchObject([{ externalId: 'sale', active: true }])
  expect(await db.$count(catalogueLines)).toBe(0)
  const audit = await read(visitor, '/operations/audit')
  expect(audit.text).toContain(
    'Olga imported a catalogue · listing created: 1 · nft created: 1 · user created: 1 ·',
  )
  // A second click.
  expect((await importShown(shown.html)).location).toBe(location)
  expect(await db.$count(auditLog)).toBe(1)
})

it('shows which fields change, which listings end, and when nothing changes', async () => {
  await importedMeanwhile(catalogue)
  const changed = [
    aUserRecord('cleo', { name: 'Cleopatra' }),
    anNftRecord('one', 1, { amount: 12, metadata: { name: 'Picture 2', image: 'ipfs://a/1.png' } }),
    aListingRecord('sale', 'one', { active: false, shopUrl: 'https://shop.example/1' }),
  ]
  const { text, html } = await upload(linesOf(changed))
  expect(text).toContain('Users 0 1 0 NFTs 0 1 0 Listings 0 1 0')
  expect(text).toContain('1 listing would be sold no more.')
  expect(text).toContain('Line 1: User cleo name: "Cleo" → "Cleopatra"')
  expect(text).toContain(
    'Line 2: NFT one amount: 10 → 12 metadata.name: "Picture 1" → "Picture 2" metadata.image: – → "ipfs://a/1.png"',
  )
  expect(text).toContain(
    'Line 3: Listing sale active: true → false shopUrl: null → "https://shop.example/1"',
  )
  await importShown(html)
  const same = await upload(linesOf(changed))
  expect(same.text).toContain('Users 0 0 1 NFTs 0 0 1 Listings 0 0 1')
  expect(same.text).toContain('Everything is stored like this already.')
})

it('tells all problems of a spreadsheet by line and column, and keeps nothing of it', async () => {
  const sheet = `type;id;email;creator;network;contract;contractName;tokenId;amountType;priceCents;priceEths;priceCurrency;metadata.name
user;mona;mona@example.com
nft;moon-1;;mona;localhost;0x${'a'.repeat(40)};Moons;1.2E+77;unique;2500;0.01;EUR;Moon 1
nft;moon-2;;mia;localhost;0x${'a'.repeat(40)};Moons;2;unique;25,00;0.01;EUR;Moon 2
nft;moon-3;;mia;localhost;0x${'a'.repeat(40)};Moons;3;unique;2500;0.01;EUR;Moon 3
`
  const { status, text } = await upload(sheet, 'moons.csv')
  expect(status).toBe(200)
  expect(text).toContain('moons.csv has 3 problems. Nothing was imported.')
  expect(text).toContain('Line 3, tokenId Must be all digits of the number')
  expect(text).toContain(
    'Line 4, priceCents Must be a whole number, in minor units of the currency',
  )
  expect(text).toContain('Line 5, creator There is no such user: add a record of it.')
  expect([await db.$count(catalogueImports), await db.$count(users, undefined)]).toEqual([0, 1])
})

it('imports a spreadsheet in UTF-16', async () => {
  const sheet = `\uFEFFtype;id;email;name\r\nuser;mona;mona@example.com;"'=Mona"\r\n`
  const shown = await upload(new Uint8Array(Buffer.from(sheet, 'utf16le')), 'people.CSV')
  expect(shown.text).toContain('Line 2: User mona New')
  expect((await importShown(shown.html)).status).toBe(303)
  expect(await db.select().from(users)).toMatchObject([{}, { externalId: 'mona', name: '=Mona' }])
})

it('asks once for prices that change by much, with both', async () => {
  await importedMeanwhile(catalogue)
  const { text, html } = await upload(
    linesOf([
      anNftRecord('one', 1, { priceCents: 99_00 }),
      aListingRecord('sale', 'one', { priceEths: '0.05' }),
    ]),
  )
  expect(text).toContain('Line 1: NFT one €10.00 (0.005 ETH) → €99.00 (0.005 ETH)')
  expect(text).toContain('Line 2: Listing sale €10.00 (0.005 ETH) → €10.00 (0.05 ETH)')
  expect(text).toContain('These 2 prices are right')
  const asked = await importShown(html)
  expect(asked.status).toBe(409)
  expect(asked.text).toContain('Say that the prices are right.')
  expect(await db.select().from(nfts)).toMatchObject([{ price: 1000 }])
  expect((await importShown(html, { confirm: 'on' })).status).toBe(303)
  expect(await db.select().from(nfts)).toMatchObject([{ price: 9900 }])
  expect(await db.select().from(listings)).toMatchObject([{ priceEths: '0.05' }])
})

describe('a catalogue that has changed since it was shown', () => {
  it.each([
    ['a user', [aUserRecord('cleo', { name: 'Cleopatra' })]],
    ['an NFT', [anNftRecord('one', 1, { category: 'Art' })]],
    ['a listing', [aListingRecord('sale', 'one', { active: false })]],
  ])('is not overwritten: %s', async (_, meanwhile) => {
    await importedMeanwhile(catalogue)
    const { html } = await upload(
      linesOf([
        aUserRecord('cleo', { name: 'Cleo M.' }),
        anNftRecord('one', 1, { amount: 11 }),
        aListingRecord('sale', 'one', { amount: 2 }),
      ]),
    )
    await importedMeanwhile(meanwhile)
    const { status, text } = await importShown(html)
    expect(status).toBe(409)
    expect(text).toContain('The catalogue has changed since this was shown: look at it again.')
    expect(await db.select().from(nfts)).toMatchObject([{ amount: 10 }])
  })

  it('may have what was new', async () => {
    const { html } = await upload(linesOf(catalogue))
    await importedMeanwhile([aUserRecord('cleo', { name: 'Cleo' })])
    expect((await importShown(html)).status).toBe(409)
  })

  it('may have sold pieces', async () => {
    await importedMeanwhile(catalogue)
    const { html } = await upload(linesOf([anNftRecord('one', 1, { amount: 12 })]))
    await db.update(nfts).set({ availableAmount: 3, updatedAt: '2030-01-01T00:00:00.000Z' })
    expect((await importShown(html)).status).toBe(303)
    expect(await db.select().from(nfts)).toMatchObject([{ amount: 12, availableAmount: 5 }])
  })
})

it('asks for the file again once it is forgotten', async () => {
  const { html } = await upload(linesOf(catalogue))
  await db.delete(catalogueImports)
  const { status, text } = await importShown(html)
  expect(status).toBe(409)
  expect(text).toContain('This import has ended: begin it again.')
})

it.each([
  ['no file', '', 400, 'Choose a file.'],
  [
    'another encoding',
    new Uint8Array([0xfc, 0x0a]),
    400,
    'Is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".',
  ],
  [
    'more than 4 MiB',
    'x'.repeat(4 * 2 ** 20),
    413,
    'A file may have at most 4 MiB here: `npm run import` divides a larger one.',
  ],
  [
    'more than 20,000 lines',
    '{}\n'.repeat(20_001),
    413,
    'A file may have at most 20000 lines here: `npm run import` divides a larger one.',
  ],
])('says what is wrong with a file: %s', async (_, content, status, problem) => {
  const page = await upload(content)
  expect(page.status).toBe(status)
  expect(page.text).toContain(problem)
})
