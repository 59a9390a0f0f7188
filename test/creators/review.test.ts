/** What operators approve and reject, and what people report. */
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { listings } from '../../src/db/schema/catalogue.ts'
import { mintPermissions, proposals, reports } from '../../src/db/schema/creators.ts'
import { auditLog, quotas } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { anAdministratorVisitor } from '../admin/operator.ts'
import { aPng, formatAndSize } from '../avatars/pictures.ts'
import { callWith } from '../support/api.ts'
import { aListing, anNft, aUser, db, findRow, setRow } from '../support/makers.ts'
import { fieldsIn } from '../support/record-form.ts'
import { anEmail, aSignedInVisitor, aVisitor, pageOf, type Visitor } from '../support/visitor.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

let visitor: Visitor

beforeEach(async () => {
  for (const table of [auditLog, proposals, reports, mintPermissions]) await db.delete(table)
  visitor = (await anAdministratorVisitor()).visitor
})

const image = `data:image/png;base64,${Buffer.from(aPng({ width: 1600, height: 800 })).toString('base64')}`

/** Somebody who lists by the API, and pages of operators on the same chain. */
async function aReview({ email = anEmail(), language = 'de' } = {}) {
  const chain = theChain()
  const creator = await aCreator(chain)
  await setRow(users, creator.user.id, { name: 'Mia', email, language })
  const env = creator.bindings as never
  const open = (path: string) => pageOf(visitor.get(path, { env }))
  const post = (path: string, form: Record<string, string>) =>
    pageOf(visitor.post(path, { env, form }))
  /** Sends a form of the page of something, with the version that the page shows. */
  const decide = async (path: string, decision: 'approve' | 'reject', form = {}) => {
    const [, version = ''] = /name="version" value="([^"]*)"/.exec((await open(path)).html) ?? []
    return post(`${path}/${decision}`, { version, ...form })
  }
  return { chain, creator, email, open, post, decide }
}

const audited = async () =>
  (await db.select().from(auditLog)).map(({ action, subject }) => [action, subject])

it('shows what waits, and puts it on sale', async () => {
  const { chain, creator, email, open, decide } = await aReview()
  const metadata = {
    name: 'Sunrise',
    description: 'A morning',
    image,
    external_url: 'https://x.example/',
  }
  const nft = await creator.putNft('sunrise', anNftBody(chain, { metadata, publish: true }))
  const path = `/operations/review/nft/${nft.number}`
  const list = await open('/operations/review')
  expect(list.text).toContain('Review (1)')
  expect(list.text).toContain('Sunrise New NFT By Mia Sent just now')
  expect(list.html).toContain(`href="${path}"`)
  expect((await open(`/operations/nfts/${nft.number}`)).html).toContain(`href="${path}"`)

  const { html, text } = await open(path)
  expect(text).toContain('New NFT: Sunrise')
  expect(text).toContain('A morning')
  expect(text).toContain('metadata.external_url https://x.example/')
  expect(html).not.toContain('href="https://x.example/"')
  expect(text).toContain(`Contract ${chain.contracts.erc1155}`)
  expect(text).toContain('Price €25.00 Amount 1')
  expect(text).toContain(`Listed by Mia Wallet ${chain.seller}`)
  expect(text).toContain('Approved no NFTs 1')
  expect(text).not.toContain('What would change')
  const art = await visitor.get(`${path}/cover`, { env: creator.bindings as never })
  expect(await formatAndSize(new Uint8Array(await art.arrayBuffer()))).toBe('image/jpeg 1200×600')

  expect(await decide(path, 'approve')).toMatchObject({
    status: 303,
    location: '/operations/review?notice=approved',
  })
  expect((await open('/operations/review?notice=approved')).text).toMatch(
    /It is approved\..* Nothing waits\./,
  )
  expect(await creator.send('GET', '/api/nfts?mine=true')).toMatchObject({
    nfts: [{ state: 'released' }],
  })
  expect(await audited()).toEqual([['nft.approve', String(nft.number)]])
  expect(visitor.mails).toMatchObject([
    { to: email, subject: '„Sunrise“ ist freigegeben (marketplace.test)' },
  ])
  expect(visitor.mails[0]?.text).toContain('https://marketplace.test/create')
  expect(await decide(path, 'approve')).toMatchObject({ status: 404 })
  expect(visitor.mails).toHaveLength(1)
})

it('shows what would change, and rejects it with a sentence that a mail says', async () => {
  const { chain, creator, open, decide } = await aReview({ language: 'en' })
  const nft = await creator.putNft('a', anNftBody(chain, { publish: true }))
  const path = `/operations/review/nft/${nft.number}`
  await decide(path, 'approve')
  visitor.mails.length = 0
  const metadata = { name: 'Free beer', description: 'A morning' }
  await creator.putNft('a', anNftBody(chain, { metadata, publish: true }))
  const { text } = await open(path)
  expect(text).toContain('Change of an NFT: Free beer')
  expect(text).toContain('What would change metadata.name Sunrise → Free beer')
  expect(text).not.toContain('metadata.description')

  for (const reason of ['', '   ', 'x'.repeat(501)]) {
    const refused = await decide(path, 'reject', { reason })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Must be 1 to 500 characters.')
  }
  expect(visitor.mails).toEqual([])
  expect(
    await decide(path, 'reject', { reason: 'See http://evil.example: “no” beer.' }),
  ).toMatchObject({ status: 303, location: '/operations/review?notice=rejected' })
  expect(await creator.send('GET', '/api/nfts?mine=true')).toMatchObject({
    nfts: [{ proposal: { state: 'rejected', reason: 'See http://evil.example: “no” beer.' } }],
  })
  expect(visitor.mails).toHaveLength(1)
  expect(visitor.mails[0]?.subject).toBe('“Sunrise” is not approved (marketplace.test)')
  expect(visitor.mails[0]?.text).toContain(
    'is not approved: “See http:\u200B/\u200B/\u200Bevil.\u200Bexample: no beer.”',
  )
  expect((await audited()).at(-1)).toEqual(['nft.reject', String(nft.number)])
})

it('says why something cannot be put on sale', async () => {
  const { chain, creator, decide } = await aReview()
  const nft = await creator.putNft('a', anNftBody(chain, { amount: 5, publish: true }))
  await db
    .update(users)
    .set({ ethereumPublicAddr: chain.otherSigner })
    .where(eq(users.id, creator.user.id))
  const { status, text } = await decide(`/operations/review/nft/${nft.number}`, 'approve')
  expect(status).toBe(409)
  expect(text).toContain(
    'Nothing is decided. The linked wallet does not hold the 5 pieces that are listed',
  )
  expect(visitor.mails).toEqual([])
})

it('shows the shop of a listing as text, and other NFTs of the token', async () => {
  const { chain, creator, open, decide } = await aReview()
  const nft = await creator.putNft('a', anNftBody(chain, { publish: true }))
  await decide(`/operations/review/nft/${nft.number}`, 'approve')
  await anNft(await aUser(), {
    ...{ title: 'Twin', contractNetwork: chain.name },
    ...{ contractAddr: chain.contracts.erc1155, tokenId: '1' },
  })
  const shopUrl = 'https://shop.example/{listingId}'
  const offer = await creator.putListing('b', aListingBody('a', { shopUrl, publish: true }))
  const path = `/operations/review/listing/${offer.number}`
  const { html, text } = await open(path)
  expect(text).toContain('Shop of a listing: Sunrise')
  expect(text).toContain(`shopUrl – → ${shopUrl}`)
  expect(html).not.toContain('href="https://shop.example')
  expect(text).toMatch(/Other NFTs of this token NFT \d+ : Twin/)
  await decide(path, 'approve')
  expect(await findRow(listings, offer.number)).toMatchObject({ shopUrl })
  expect((await audited()).at(-1)).toEqual(['listing.approve', String(offer.number)])
})

it('tells who lists it also when the API decides', async () => {
  const { chain, creator, email } = await aReview()
  const nft = await creator.putNft('a', anNftBody(chain, { publish: true }))
  const [proposal] = await creator.waiting()
  const mails: { to: string; subject: string }[] = []
  const send = async (mail: { to: string; subject: string }) => mails.push(mail)
  const reject = (version: string) =>
    callWith(
      { ...creator.bindings, EMAIL: { send } } as never,
      'POST',
      `/api/admin/proposals/nft/${nft.number}/reject`,
      { token: creator.master, json: { version, reason: 'Nein.' } },
    )
  expect((await reject(crypto.randomUUID())).status).toBe(409)
  expect(mails).toEqual([])
  expect((await reject(proposal?.version ?? '')).status).toBe(200)
  expect(mails).toMatchObject([
    { to: email, subject: '„Sunrise“ ist nicht freigegeben (marketplace.test)' },
  ])
})

it('lets operators permit a user to list what a contract mints', async () => {
  const user = await aUser()
  const path = `/operations/users/${user.id}`
  const contract = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
  const send = (form: Record<string, string>) =>
    pageOf(
      visitor.post(`${path}/mint-permissions`, {
        form: { network: 'localhost', contract, permitted: 'true', ...form },
      }),
    )
  expect((await send({ contract: contract.toLowerCase() })).location).toBe(`${path}?notice=saved`)
  expect((await send({})).status).toBe(303)
  const { text } = await pageOf(visitor.get(path))
  expect(text).toContain(`localhost ${contract} Permitted just now`)
  const elsewhere = await send({ network: 'elsewhere' })
  expect([elsewhere.status, elsewhere.text]).toEqual([
    400,
    expect.stringContaining('Is not configured.'),
  ])
  expect((await send({ permitted: 'false' })).status).toBe(303)
  expect(await db.select().from(mintPermissions)).toEqual([])
  expect(
    (await db.select().from(auditLog)).map(({ action, details }) => [action, details]),
  ).toEqual([
    ['user.permit_mint', { network: 'localhost', contract }],
    ['user.forbid_mint', { network: 'localhost', contract }],
  ])
})

it('takes a report of an NFT, which hides nothing, and shows it to operators', async () => {
  const nft = await anNft(await aUser(), { title: 'Tide' })
  const { visitor: reader, user } = await aSignedInVisitor({ language: 'de' })
  const path = `/nfts/${nft.id}`
  const say = (text: string) => pageOf(reader.post(`${path}/report`, { form: { text } }))
  expect((await pageOf(aVisitor().get(path))).text).not.toContain('Melden')
  expect((await pageOf(reader.get(path))).text).toContain('Melden')
  expect(await say('That is <b>mine</b>.')).toMatchObject({
    status: 303,
    location: `${path}?notice=reported`,
  })
  await say('It is mine.')
  expect((await pageOf(reader.get(`${path}?notice=reported`))).text).toContain(
    'Danke. Wir sehen es uns an.',
  )
  expect(await db.select().from(reports)).toMatchObject([
    { nftId: nft.id, userId: user.id, text: 'It is mine.' },
  ])
  const blank = await say(' ')
  expect([blank.status, blank.text]).toEqual([
    400,
    expect.stringContaining('Füllen Sie dieses Feld aus.'),
  ])

  await (await aSignedInVisitor()).visitor.post(`${path}/report`, { form: { text: 'No.' } })
  const shown = await pageOf(visitor.get('/operations/review'))
  expect(shown.text).toMatch(/NFT \d+ : Tide 2 reports As buyers see it User \d+ , just now : No\./)
  expect(shown.text).toContain(': It is mine.')
  const [, until = ''] = /name="until" value="([^"]*)"/.exec(shown.html) ?? []
  const [late] = await db
    .insert(reports)
    .values({
      ...{ nftId: nft.id, userId: (await aUser()).id, text: 'Late.' },
      createdAt: '2999-01-01T00:00:00.000Z',
    })
    .returning()
  const dismissed = await visitor.post(`/operations/reports/${nft.id}/dismiss`, { form: { until } })
  expect(dismissed.headers.get('location')).toBe('/operations/review?notice=dismissed')
  expect(await db.select().from(reports)).toEqual([late])
  expect(await audited()).toEqual([['report.dismiss', String(nft.id)]])
})

it('takes five reports a day, of what everybody may see', async () => {
  const { visitor: reader, user } = await aSignedInVisitor()
  const draft = await anNft(await aUser(), { status: 'draft' })
  const report = async (id: number) =>
    (await reader.post(`/nfts/${id}/report`, { form: { text: 'Mine.' } })).status
  expect(await report(draft.id)).toBe(404)
  expect(await report(999_999)).toBe(404)
  for (let n = 0; n < 5; n++) expect(await report((await anNft(await aUser())).id)).toBe(303)
  expect(await report((await anNft(await aUser())).id)).toBe(429)
  expect(await db.select().from(reports)).toHaveLength(5)
  expect(
    await db
      .select()
      .from(quotas)
      .where(eq(quotas.name, `reports:${user.id}`)),
  ).toMatchObject([{ used: 5 }])
})

it('ends what a user sells who is no longer approved, until the user is approved again', async () => {
  const { visitor: seller, user } = await aSignedInVisitor({ approved: true })
  const nft = await anNft(user)
  const listing = await aListing(nft)
  const auction = await aListing(nft, { type: 'auction' })
  const approve = (approved: boolean) =>
    visitor.post(`/operations/users/${user.id}/approval`, { form: { approved: String(approved) } })
  await approve(false)
  const ended = await findRow(listings, listing.id)
  expect(ended?.active).toBe(false)
  expect(ended?.updatedAt).not.toBe(listing.updatedAt)
  expect((await findRow(listings, auction.id))?.active).toBe(true)

  const path = `/settings/selling/${listing.id}`
  const sell = async (CREATORS: 'off' | 'invited' | 'open') => {
    const env = { CREATORS, NETWORKS: {} } as never
    const { html } = await pageOf(seller.get(path, { env }))
    return pageOf(seller.post(path, { env, form: { ...fieldsIn(html), active: 'on' } }))
  }
  for (const closed of ['off', 'invited'] as const) {
    const { status, text } = await sell(closed)
    expect(status).toBe(403)
    expect(text).toContain('Ask the operator to approve you: then you can sell it.')
    expect((await findRow(listings, listing.id))?.active).toBe(false)
  }
  await approve(true)
  expect((await sell('invited')).status).toBe(303)
  await approve(false)
  expect((await sell('open')).status).toBe(303)
  // It is on sale, and may be changed.
  expect((await sell('invited')).status).toBe(303)
})
