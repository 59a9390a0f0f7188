/** The pages on which people list NFTs by themselves, with a real chain. */
import { eq } from 'drizzle-orm'
import { encodeAbiParameters } from 'viem'
import { describe, expect, inject, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { proposals } from '../../src/db/schema/creators.ts'
import { quotas } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { aCreator, aListingBody, anNftBody } from '../creators/creator.ts'
import { answerOf, callWith } from '../support/api.ts'
import { tokenCalls } from '../support/chain/calls.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { aSession, db, execute } from '../support/makers.ts'
import { fieldsIn } from '../support/record-form.ts'
import { aVisitor, pageOf, textOf } from '../support/visitor.ts'

type Options = Parameters<typeof aCreator>[1]

/** A creator with a browser. */
async function aCreatorWithBrowser(chain: Chain, options: Options = {}) {
  const creator = await aCreator(chain, options)
  const visitor = aVisitor(await aSession(creator.user))
  const { bindings: env } = creator
  return {
    ...creator,
    open: (path: string) => pageOf(visitor.get(path, { env })),
    send: (path: string, form: Record<string, string>) => pageOf(visitor.post(path, { env, form })),
  }
}
type Browser = Awaited<ReturnType<typeof aCreatorWithBrowser>>

/** The query of a form that is sent with GET, with the first of its radio buttons. */
function queryIn(html: string): string {
  const [form = ''] = /<form action="\/create\/[^"]+".*?<\/form>/s.exec(html) ?? []
  const [, path = ''] = /action="([^"]+)"/.exec(form) ?? []
  const fields = [...form.matchAll(/<input type="(?:hidden|radio)" name="(\w+)" value="([^"]*)"/g)]
  return `${path}?${new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]).reverse())}`
}

const ask = (chain: Chain, ids: string, others = {}) =>
  `/create/new?${new URLSearchParams({ network: chain.name, contract: chain.contracts.erc1155, ids, fulfilment: 'transfer', ...others })}`

/** Opens the form of a token that the wallet holds: where it is sent, and its fields. */
async function openForm({ open, chain }: Browser, ids = '1') {
  const choice = await open(ask(chain, ids))
  const path = queryIn(choice.html)
  const { html } = await open(path)
  return { path: path.replace(/\?.*/, ''), html, fields: fieldsIn(html) }
}

const entered = { title: 'Sunrise', priceCents: '25.00', contractName: 'Waves', amount: '2' }

it('leads a creator from a contract to what is in review, and on sale', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain)
  const { open, send } = creator
  expect((await open('/create')).text).toContain('You have not listed anything yet.')
  const first = await open('/create/new')
  expect(first.html).toContain(`<input type="hidden" name="network" value="${chain.name}"/>`)

  const choice = await open(ask(chain, '1-3, 7'))
  expect(choice.text).toContain('Choose a token')
  expect(choice.html.match(/type="radio"/g)).toHaveLength(1)
  expect(choice.text).toContain('1 · 5 pieces')

  const { path, html, fields } = await openForm(creator)
  expect(textOf(html)).toContain('Your wallet holds 5.')
  expect(fields).toMatchObject({ contract: chain.contracts.erc1155, token: '1:5', amount: '1' })
  const filled = {
    ...{ ...fields, ...entered },
    ...{ description: 'A morning\r\nat sea', link: 'https://sea.example/', priceEths: '' },
    ...{ image: 'ipfs://bafy/1.png', phrase: 'open sesame', activeTill: '2090-01-31T12:00' },
    shopUrl: 'https://shop.example/{listingId}',
  }
  const draft = await send(path, { ...filled, action: 'draft' })
  expect(draft).toMatchObject({ status: 303, location: `${path}?notice=saved` })
  const saved = await open(`${path}?notice=saved`)
  expect(saved.text).toContain('It is saved.')
  expect(saved.text).toContain('Sunrise Draft')
  expect(saved.text).toContain('The operator looks at what people see')
  const again = fieldsIn(saved.html)
  expect(again).toMatchObject({
    ...{ ...entered, description: 'A morning\nat sea', priceEths: '0', priceCurrency: 'EUR' },
    ...{ link: 'https://sea.example/', image: 'ipfs://bafy/1.png', phrase: 'open sesame' },
    ...{ activeTill: '2090-01-31T12:00', shopUrl: 'https://shop.example/{listingId}' },
  })

  // Sent twice, it is one record.
  for (const _ of [1, 2])
    expect(await send(path, { ...again, action: 'publish' })).toMatchObject({ status: 303 })
  expect(await db.$count(nfts, eq(nfts.creatorId, creator.user.id))).toBe(1)
  const list = await open('/create')
  expect(list.text).toContain('Sunrise In review €25.00 2 left')
  expect(list.html).toContain(`<a href="${path}">`)

  const preview = await open(`${path}/preview`)
  expect(preview.text).toContain('Buyers see it like this')
  expect(preview.text).toContain('The drawing stands in for its picture until it is on sale.')
  expect(preview.text).toContain('€25.00')
  expect(preview.text).toContain('A morning at sea')
  expect(preview.text).toContain('Buy at shop.example')
  expect(preview.text).not.toContain('This is not theirs')

  for (const proposal of await creator.waiting())
    expect(await creator.decide(proposal, 'approve')).toMatchObject({ state: 'released' })
  expect((await open('/create')).text).toContain('Sunrise On sale')
  const released = await open(path)
  expect(released.text).toContain('See its page')
  expect(released.html).not.toContain('name="phrase"')
  const selling = await open('/settings/selling')
  expect(selling.html).toContain(`href="${path}"`)
  expect(released.html).toContain('href="/settings/selling"')
})

it('says what waits of a change, why it was rejected, and what it is until then', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain)
  const { open, send } = creator
  const { path, fields } = await openForm(creator)
  await send(path, { ...fields, ...entered, action: 'publish' })
  const [first] = await creator.waiting()
  await creator.decide(first as never, 'reject', { reason: 'This is not yours.' })
  expect((await open('/create')).text).toContain(
    'Sunrise Rejected €25.00 2 left It was rejected: This is not yours.',
  )
  await send(path, { ...fieldsIn((await open(path)).html), action: 'publish' })
  const [second] = await creator.waiting()
  await creator.decide(second as never, 'approve')

  const { phrase: _, ...shown } = fieldsIn((await open(path)).html)
  await send(path, { ...shown, title: 'Dawn', shopUrl: 'https://a.example/', action: 'publish' })
  const changed = await open(path)
  expect(changed.text).toContain('What you have changed is in review.')
  expect(changed.text).toContain('The link to the shop is in review.')
  expect(fieldsIn(changed.html)).toMatchObject({ title: 'Dawn', shopUrl: 'https://a.example/' })
  for (const proposal of await creator.waiting())
    await creator.decide(proposal, 'reject', { reason: 'No.' })
  const rejected = await open(path)
  expect(rejected.text).toContain('What you have changed was rejected: No.')
  expect(rejected.text).toContain('The link to the shop was rejected: No.')
})

it('asks once for a price that changes by much', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain, { approved: true })
  const { path, fields } = await openForm(creator)
  await creator.send(path, { ...fields, ...entered, action: 'publish' })
  const cheap = { ...fieldsIn((await creator.open(path)).html), priceCents: '2.5' }
  const asked = await creator.send(path, { ...cheap, action: 'publish' })
  expect(asked.status).toBe(409)
  expect(asked.text).toContain('Is €25.00 (0 ETH), and would be €2.50 (0 ETH).')
  expect(fieldsIn(asked.html)).toMatchObject({ priceCents: '2.5', title: 'Sunrise' })
  const sent = await creator.send(path, { ...cheap, confirm: 'on', action: 'publish' })
  expect(sent.status).toBe(303)
  expect((await creator.open('/create')).text).toContain('Sunrise On sale €2.50')
})

it('withdraws it for good, and says that', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain, { approved: true })
  const { path, fields } = await openForm(creator)
  await creator.send(path, { ...fields, ...entered, action: 'publish' })
  expect((await creator.open(path)).text).toContain('Withdraw this NFT?')
  expect(await creator.send(`${path}/withdraw`, {})).toMatchObject({
    status: 303,
    location: '/create?notice=withdrawn',
  })
  const list = await creator.open('/create?notice=withdrawn')
  expect(list.text).toContain('The NFT is withdrawn.')
  expect(list.text).toContain('Sunrise Withdrawn')
  const { html, text } = await creator.open(path)
  expect(text).toContain('Sunrise Withdrawn')
  expect(html).not.toContain('name="title"')
  const refused = await creator.send(path, { ...entered, priceCurrency: 'EUR' })
  expect(refused).toMatchObject({ status: 409 })
  expect(refused.text).toContain('This was withdrawn: list it again under another ref.')
})

it('says beside the field or above the form why it was refused, and keeps what was entered', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain)
  const { path, fields } = await openForm(creator)
  const form = { ...fields, ...entered, action: 'publish' }
  const send = (values: Record<string, string>) => creator.send(path, { ...form, ...values })

  const tooMany = await send({ amount: '6' })
  expect(tooMany.status).toBe(409)
  expect(tooMany.html).toMatch(/role="alert">The linked wallet does not hold the 6 pieces/)
  expect(fieldsIn(tooMany.html)).toMatchObject({ title: 'Sunrise', amount: '6', token: '1:5' })
  for (const [values, field, sentence] of [
    [{ title: ' ' }, 'title', 'Must be 1 to 255 characters.'],
    [{ image: 'data:,' }, 'image', 'Must begin with https:// or ipfs://.'],
    [{ priceCents: '2,5' }, 'priceCents', 'Must be a price as in 25.00.'],
    [{ shopUrl: 'http://a.example/' }, 'shopUrl', 'Must be an https URL.'],
  ] as const) {
    const { status, html } = await send(values)
    expect([field, status]).toEqual([field, 400])
    expect(html).toContain(`<p class="problem" id="${field}-problem">${sentence}`)
    expect(fieldsIn(html)).toMatchObject({
      contract: chain.contracts.erc1155,
      amountType: 'limited',
    })
  }
  expect(await db.$count(nfts, eq(nfts.creatorId, creator.user.id))).toBe(0)

  await db.update(users).set({ language: 'de' }).where(eq(users.id, creator.user.id))
  expect((await send({ amount: '6' })).text).toContain('Bieten Sie weniger an.')
  expect((await send({ image: 'x' })).text).toContain('die mit https:// oder ipfs:// beginnt.')
  await db.update(users).set({ ethereumPublicAddr: '' }).where(eq(users.id, creator.user.id))
  expect((await send({})).text).toContain('Verknüpfen Sie zuerst unter Einstellungen → Konto')
})

it('says why no token can be chosen', async () => {
  const chain = await aChain({ erc1155: 5, erc721: 2 })
  const creator = await aCreatorWithBrowser(chain)
  const read = async (ids: string, others = {}) =>
    (await creator.open(ask(chain, ids, others))).text
  expect(await read('7')).toContain('Your wallet holds none of these tokens.')
  expect(await read('')).toContain('This contract does not list the tokens of a wallet.')
  expect(await read('1', { contract: chain.seller })).toContain(
    'These tokens cannot be listed: the token contract has no code.',
  )
  expect(await read('1', { contract: 'x' })).toContain('Must be an address.')
  for (const ids of ['1-21', '5-1', `${2n ** 256n}`])
    expect(await read(ids)).toContain('Must be ids as in 7 or 1-20, at most 20.')
  expect(await read('1', { network: 'nowhere' })).toContain(`Must be "${chain.name}".`)
  const unique = await creator.open(ask(chain, '0-9', { contract: chain.contracts.erc721 }))
  expect(unique.html.match(/type="radio"/g)).toHaveLength(2)
  const { html } = await creator.open(queryIn(unique.html))
  expect(html).not.toContain('name="amount"')

  await db.update(users).set({ ethereumPublicAddr: '' }).where(eq(users.id, creator.user.id))
  expect(await read('1')).toContain('Link the wallet that holds the tokens of this contract.')
})

it('lists what is minted on delivery by its one id', async () => {
  const chain = await aChain({ mints: true })
  const creator = await aCreatorWithBrowser(chain)
  const mint = { fulfilment: 'mint', contract: chain.mintable.erc1155 }
  expect((await creator.open(ask(chain, '1-2', mint))).text).toContain('Must be one id')
  const choice = await creator.open(ask(chain, '12', mint))
  const path = queryIn(choice.html)
  const form = { ...fieldsIn((await creator.open(path)).html), ...entered, action: 'publish' }
  const sent = path.replace(/\?.*/, '')
  expect(await creator.send(sent, form)).toMatchObject({ status: 303 })
  const { text } = await creator.open(sent)
  expect(text).toContain('Sunrise In review')
  expect(text).toContain('Minted on delivery')
})

it('takes at most 20 questions to the chain in a minute', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain)
  const period = new Date().toISOString().slice(0, 16)
  await creator.open('/create/new')
  await creator.open(ask(chain, 'x'))
  await creator.open(ask(chain, '1'))
  const [asked] = await db
    .select({ used: quotas.used })
    .from(quotas)
    .where(eq(quotas.name, `chain:${creator.user.id}`))
  expect(asked?.used).toBe(1)
  const later = new Date(Date.parse(`${period}:00.000Z`) + 60_000).toISOString().slice(0, 16)
  for (const minute of [period, later])
    await execute(
      `INSERT INTO quotas (name, period, used) VALUES (?, ?, 20) ON CONFLICT DO UPDATE SET used = 20`,
      `chain:${creator.user.id}`,
      minute,
    )
  expect(await creator.open(ask(chain, '1'))).toMatchObject({ status: 429 })
})

it('leads to the permission that a delivery lacks', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain, { approved: true })
  await creator.putNft('sun/rise', anNftBody(chain))
  await creator.putListing('sun/rise', aListingBody('sun/rise'))
  const path = '/create/sun%2Frise'
  expect((await creator.open(path)).text).not.toContain('once you allow that')
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  const { text } = await creator.open(path)
  expect(text).toContain('Buyers get it once you allow that: Allow delivery')
})

it('keeps what the API has stored of a record that the form does not show', async () => {
  const chain = await aChain({ erc1155: 5 })
  const creator = await aCreatorWithBrowser(chain, { approved: true })
  const attributes = [{ trait_type: 'Height', value: 3 }]
  const stored = { category: 'Sea', metadata: { name: 'A', attributes, image: 'ipfs://a/1' } }
  await creator.putNft('a', anNftBody(chain, stored))
  const form = { ...fieldsIn((await creator.open('/create/a')).html), title: 'B', image: '' }
  expect(await creator.send('/create/a', { ...form, action: 'draft' })).toMatchObject({
    status: 303,
  })
  const mine = callWith(creator.bindings, 'GET', '/api/nfts?mine=true', { token: creator.token })
  const { nfts: listed } = await answerOf<{ nfts: { record: object }[] }>(mine)
  const record = listed[0]?.record ?? {}
  expect(record).toMatchObject({ category: 'Sea', contractName: 'Waves', priceEths: '0.01' })
  expect(Reflect.get(record, 'metadata')).toEqual({ name: 'B', attributes })
})

it('says to others why they cannot list, and shows them nothing of it', async () => {
  const chain = await aChain({ erc1155: 5 })
  const owner = await aCreatorWithBrowser(chain, { approved: true })
  await owner.putNft('a', anNftBody(chain, { publish: true }))
  const invited = await aCreatorWithBrowser(chain, {
    creators: 'invited',
    wallet: chain.otherSigner,
  })
  const { html, text } = await invited.open('/create')
  expect(text).toContain('Ask the operator to approve you: then you can list NFTs here.')
  expect(html).not.toContain('href="/create/new"')
  expect(html).not.toContain('<a href="/create"')
  expect((await invited.open('/create/new')).html).not.toContain('name="contract"')
  expect((await invited.open(ask(chain, '1'))).text).toContain('Ask the operator to approve you')
  expect(await invited.open('/create/a')).toMatchObject({ status: 404 })
  expect(await invited.open('/create/a/preview')).toMatchObject({ status: 404 })
  expect(await invited.send('/create/a/withdraw', {})).toMatchObject({ status: 404 })
  const chosen = { network: chain.name, contract: chain.contracts.erc1155, fulfilment: 'transfer' }
  const form = { ...chosen, token: '1:5', amountType: 'limited', priceCurrency: 'EUR', ...entered }
  const refused = await invited.send('/create/b', form)
  expect(refused).toMatchObject({ status: 403 })
  expect(refused.text).toContain('Ask the operator to approve you')
  expect(
    (await db.select().from(proposals)).filter(({ userId }) => userId === invited.user.id),
  ).toEqual([])

  const closed = await aCreatorWithBrowser(chain, { creators: 'off', approved: true })
  expect((await closed.open('/create')).text).toContain('Only the operator lists NFTs here.')
  const open = await aCreatorWithBrowser(chain)
  expect((await open.open('/create')).html).toContain('<a href="/create"')
})

describe('the form of a token begins with what it says of itself', () => {
  const remote = (path: string) => `http://${inject('remoteHost')}${path}`
  const echo = (text: string) => remote(`/echo?text=${encodeURIComponent(text)}`)
  const ofJson = (value: unknown) => echo(JSON.stringify(value))
  const nothing = { title: '', description: '', link: '', image: '' }

  /** Opens the form of a token that somebody has chosen, for each URI that its contract returns. */
  async function formsOf(name: 'DescribedToken' | 'DescribedEdition', bindings = {}) {
    const chain = await aChain()
    const contract = await chain.aPeculiarToken(name)
    const creator = await aCreator(chain)
    const visitor = aVisitor(await aSession(creator.user))
    const isEdition = name === 'DescribedEdition'
    const chosen = {
      ...{ network: chain.name, contract, contractName: 'Waves', fulfilment: 'transfer' },
      ...{ amountType: isEdition ? 'limited' : 'unique', token: isEdition ? '171:5' : '0:1' },
    }
    const env = { ...creator.bindings, ...bindings }
    const read = async (others: Record<string, string> = {}) => {
      const query = new URLSearchParams({ ...chosen, ...others })
      const { status, html } = await pageOf(visitor.get(`/create/a?${query}`, { env }))
      expect(status).toBe(200)
      const { title, description, link, image } = fieldsIn(html)
      return { title, description, link, image }
    }
    const setUri = (uri: string) => tokenCalls(chain.rpcUrl, chain.seller, contract)('setURI', uri)
    const readWith = async (uri: string) => {
      await setUri(uri)
      return read()
    }
    /** The same of a URI that a transaction cannot store. */
    const readLong = async (uri: string) => {
      const result = encodeAbiParameters([{ type: 'string' }], [uri])
      await chain.setFaults({ on: ['eth_call'], effect: { result } })
      return read()
    }
    return { chain, creator, visitor, env, chosen, read, readWith, readLong, setUri }
  }

  it('and stores nothing until it is sent', async () => {
    const { chain, creator, readWith, setUri, read } = await formsOf('DescribedToken')
    const said = {
      ...{ name: 'Sunrise #1', description: 'A morning\nat sea', image: 'ipfs://bafy/1.png' },
      ...{ external_url: 'https://sea.example/1', attributes: [{ value: 3 }], animation_url: 'x' },
    }
    const form = {
      ...{ title: 'Sunrise #1', description: 'A morning\nat sea' },
      ...{ link: 'https://sea.example/1', image: 'ipfs://bafy/1.png' },
    }
    expect(await readWith(ofJson(said))).toEqual(form)
    expect(await readWith(remote(`/redirect?to=${encodeURIComponent(ofJson(said))}`))).toEqual(form)
    expect(await db.$count(nfts, eq(nfts.creatorId, creator.user.id))).toBe(0)
    expect(await db.$count(quotas, eq(quotas.name, `chain:${creator.user.id}`))).toBe(0)

    await setUri(ofJson({ name: 'Another' }))
    await creator.putNft('a', anNftBody(chain, { metadata: { name: 'Stored' } }))
    expect(await read()).toEqual({ ...nothing, title: 'Stored' })
  })

  it('and keeps what was entered instead', async () => {
    const { readWith, chosen, visitor, env } = await formsOf('DescribedToken')
    const said = { name: 'Sunrise', description: 'A morning' }
    expect(await readWith(ofJson(said))).toMatchObject({ title: 'Sunrise' })
    const form = {
      ...chosen,
      priceCents: 'x',
      priceCurrency: 'EUR',
      title: 'Dusk',
      description: '',
    }
    const refused = await pageOf(visitor.post('/create/a', { env, form }))
    expect(refused.status).toBe(400)
    expect(fieldsIn(refused.html)).toMatchObject({ title: 'Dusk', description: '' })
  })

  it('with the id of a piece in the URI and in the text', async () => {
    const { readWith } = await formsOf('DescribedEdition')
    const id = `${'0'.repeat(62)}ab`
    const [before, after] = ['{"name":"{id}","description":"In the URI: ', '"}'].map(
      encodeURIComponent,
    )
    expect(await readWith(remote(`/echo?text=${before}{id}${after}`))).toEqual({
      ...nothing,
      title: id,
      description: `In the URI: ${id}`,
    })
  })

  it('as the URI itself has it', async () => {
    const { readWith } = await formsOf('DescribedToken')
    const json = '{"name":"Wave #1, {id} of 100%"}'
    const said = { ...nothing, title: 'Wave #1, {id} of 100%' }
    for (const uri of [
      `data:application/json;base64,${btoa(json)}`,
      `data:application/json;utf8,${json}`,
      `data:,${encodeURIComponent(json)}`,
    ])
      expect(await readWith(uri)).toEqual(said)
  })

  it('without what nobody sees, as long as a record has it', async () => {
    const { readWith, readLong } = await formsOf('DescribedToken')
    const name = ' Sun\u0000rise\u202E\nand\u200B moon\u0085set '
    expect(await readWith(ofJson({ name }))).toEqual({ ...nothing, title: 'Sun rise and moon set' })
    const description = '\u0007A\tmorning\r\n\r\nat \u202Esea\n\u200B'
    expect(await readWith(ofJson({ description }))).toEqual({
      ...nothing,
      description: 'A morning\n\nat sea',
    })
    const long = 'x'.repeat(3000)
    const said = JSON.stringify({ name: long, description: long })
    expect(await readLong(`data:,${said}`)).toEqual({
      ...nothing,
      title: 'x'.repeat(255),
      description: 'x'.repeat(2000),
    })
  })

  it('without what is no text, of another scheme, not seen or too long', async () => {
    const { readWith } = await formsOf('DescribedToken')
    for (const said of [
      { name: 7, description: ['a'], external_url: {}, image: null },
      { external_url: 'javascript:alert(1)', image: 'http://a.example/1' },
      { external_url: 'https://a.example/\u202E', image: 'ipfs://a/\u0000' },
      { external_url: `https://a.example/${'x'.repeat(2000)}` },
      [{ name: 'A' }],
      undefined,
    ])
      expect(await readWith(ofJson(said))).toEqual(nothing)
  })

  it('but with nothing of a URI that is private, not encrypted, without a gateway or endless', async () => {
    const { readWith } = await formsOf('DescribedToken')
    for (const uri of [
      'https://10.0.0.1/1.json',
      'http://metadata.example.com/1.json',
      remote('/redirect?to=https://10.0.0.1/'),
      `ipfs://${'Qm'.padEnd(46, '7')}/1`,
      remote('/endless'),
    ])
      expect(await readWith(uri), uri).toEqual(nothing)
  })

  it('up to 128 KiB', async () => {
    const { readLong } = await formsOf('DescribedToken')
    const uriOf = (length: number) => {
      const before = 'data:,{"name":"Long","image":"'
      return `${before}${'x'.repeat(length - before.length - 2)}"}`
    }
    expect(await readLong(uriOf(128 * 1024))).toEqual({ ...nothing, title: 'Long' })
    expect(await readLong(uriOf(128 * 1024 + 1))).toEqual(nothing)
  })

  it('only for who may list it', async () => {
    const { readWith } = await formsOf('DescribedToken', { CREATORS: 'invited' })
    expect(await readWith(ofJson({ name: 'Sunrise' }))).toEqual(nothing)
  })

  it('only of a token of a network, whose node answers', async () => {
    const { readWith, read, creator } = await formsOf('DescribedToken')
    expect(await readWith(ofJson({ name: 'Sunrise' }))).toMatchObject({ title: 'Sunrise' })
    for (const others of [
      { network: 'constructor' },
      { contract: 'x' },
      { token: `${2n ** 256n}` },
      { contract: creator.chain.seller },
    ])
      expect(await read(others)).toEqual(nothing)
    await creator.chain.setFaults({
      effect: { error: { code: -32603, message: '' }, reach: 'none' },
    })
    expect(await read()).toEqual(nothing)
  })
})
