/** What somebody tried who wanted to sell what is not theirs, or what nobody has looked at. */
import { env } from 'cloudflare:workers'
import { expect, inject, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { answerOf, callWith } from '../support/api.ts'
import { aSession, execute, setRow } from '../support/makers.ts'
import { fieldsIn } from '../support/record-form.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

const formOf = async (creator: Awaited<ReturnType<typeof aCreator>>, id: number) => {
  const headers = {
    cookie: `token=${await aSession(creator.user)}`,
    'sec-fetch-site': 'same-origin',
  }
  const path = `/settings/selling/${id}`
  const page = await callWith(creator.bindings, 'GET', path, { headers })
  const fields = fieldsIn(await page.text())
  return async (values: Record<string, string>) => {
    const body = new URLSearchParams({ ...fields, ...values })
    return (await callWith(creator.bindings, 'POST', path, { headers, body })).status
  }
}

it('takes no token from others with a draft, not even from an import', async () => {
  const chain = theChain()
  const squatter = await aCreator(chain)
  const mint = { contract: chain.mintable.erc1155, fulfilment: 'mint', tokenId: '777' }
  expect(await squatter.putNft('squat', anNftBody(chain, mint))).toMatchObject({ state: 'draft' })
  const record = anNftRecord('op-777', 777, {
    contract: chain.mintable.erc1155,
    network: chain.name,
  })
  const body = linesOf([aUserRecord('cleo'), record])
  const imported = callWith(squatter.bindings, 'POST', '/api/admin/catalogue', {
    token: squatter.master,
    body,
  })
  expect(await answerOf(imported)).toMatchObject({ status: 200 })
})

it('asks about more pieces of a mint on Settings → Selling, too', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true, wallet: chain.otherSigner })
  const mint = { contract: chain.mintable.erc1155, fulfilment: 'mint', amount: 10, publish: true }
  await execute(
    `INSERT INTO mintPermissions VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z')`,
    ...[creator.user.id, chain.name, chain.mintable.erc1155],
  )
  expect(await creator.putNft('m', anNftBody(chain, mint))).toMatchObject({ state: 'released' })
  const { number } = await creator.putListing('m', aListingBody('m'))
  await execute('DELETE FROM mintPermissions')
  const send = await formOf(creator, number)
  expect(await send({ amount: '1000000' })).toBe(409)
})

it('sells a withdrawn listing no more, whatever the form of Settings → Selling says', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  await creator.putNft('a', anNftBody(chain, { publish: true }))
  const { number } = await creator.putListing('a', aListingBody('a'))
  await creator.send('DELETE', '/api/listings/a')
  const send = await formOf(creator, number)
  expect(await send({ active: 'on', activeTill: '' })).toBe(409)
})

it('ends with an NFT what waits of its listings', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  await creator.putNft('a', anNftBody(chain, { publish: true }))
  const link = { shopUrl: 'https://shop.example.org/', publish: true }
  await creator.putListing('a', aListingBody('a', link))
  expect(await creator.waiting()).toHaveLength(1)
  await creator.send('DELETE', '/api/nfts/a')
  expect(await creator.waiting()).toEqual([])
})

it('lets nobody list, or change, what an operator has imported under the prefix of the person', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const { number } = await creator.putNft('mine', anNftBody(chain))
  await setRow(nfts, number, { heldBySeller: false, status: 'released' })
  expect(await creator.putListing('mine', aListingBody('mine'))).toMatchObject({
    status: 400,
    code: 'nft_not_found',
  })
  expect(await creator.putNft('mine', anNftBody(chain))).toMatchObject({ status: 404 })
})

it('gives the content of a draft to nobody', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const content = { release: 'holder', phrase: 'visit https://evil.example' }
  const { number } = await creator.putNft('a', anNftBody(chain, { content }))
  const read = () => creator.send('GET', `/api/public/nfts/${number}/content`)
  expect(await read()).toMatchObject({ status: 404 })
  await setRow(nfts, number, { status: 'released' })
  expect(await read()).toMatchObject({ status: 200, phrase: 'visit https://evil.example' })
})

it('refuses networks that every object has, numbers that are too large, and too many levels', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  expect(
    await creator.putNft('a', anNftBody(chain, { network: 'constructor', publish: true })),
  ).toMatchObject({ status: 400, code: 'network_not_found' })
  const put = (metadata: string) => {
    const body = JSON.stringify(anNftBody(chain)).replace(
      /"metadata":\{.*\}/,
      `"metadata":${metadata}}`,
    )
    const headers = { 'content-type': 'application/json' }
    const { token, bindings } = creator
    return answerOf(callWith(bindings, 'PUT', '/api/nfts/a', { token, body, headers }))
  }
  expect(await put('{"name":"x","a":1e400}')).toMatchObject({ status: 400, code: 'invalid_input' })
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  expect(await put(`{"name":"x","a":${deep}}`)).toMatchObject({ status: 400 })
})

it('shows the picture that was reviewed, and approves none that cannot be loaded', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  const publish = (path: string) => {
    const metadata = { name: 'Bait', image: `http://${inject('remoteHost')}${path}` }
    return creator.putNft('a', anNftBody(chain, { metadata, publish: true }))
  }
  const approve = async () => {
    const proposal = await creator.firstWaiting()
    return creator.decide(proposal, 'approve')
  }
  await publish('/status/404')
  expect(await approve()).toMatchObject({ status: 409, code: 'conflict' })
  const { number } = await publish('/picture.jpg')
  expect(await approve()).toMatchObject({ status: 200 })
  const shown = await callWith(creator.bindings, 'GET', `/nfts/${number}/art/page`)
  expect(shown.status).toBe(200)
  const reviewed = await env.AVATARS.get(`art/${number}/review.jpg`)
  expect(await shown.arrayBuffer()).toEqual(await reviewed?.arrayBuffer())
  // Its server was not asked again.
  expect(await env.AVATARS.head(`art/${number}/page.jpg`)).toBe(null)
})
