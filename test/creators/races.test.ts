/** What changes between the plan of a record and the transaction that writes it. */
import { expect, it } from 'vitest'
import { racingDatabase } from '../openapi/databases.ts'
import { answerOf, callWith } from '../support/api.ts'
import { execute } from '../support/makers.ts'
import { aCreator, aListingBody, anNftBody, aSharedChain } from './creator.ts'

const theChain = aSharedChain()

type Creator = Awaited<ReturnType<typeof aCreator>>

/** Lists an NFT. Before this call of the database, counted from 1, something happens. */
function putWhile(
  { bindings, token }: Creator,
  json: object,
  { before, happens }: { before: number; happens: () => Promise<unknown> },
) {
  let calls = 0
  const DB = racingDatabase(async () => {
    if (++calls === before) await happens()
  })
  return answerOf(callWith({ ...bindings, DB }, 'PUT', '/api/nfts/a', { token, json }))
}

/** The transaction that writes: after the read, the proof and the staging. */
const COMMIT = 4

it('puts nothing on sale of somebody whose approval ends meanwhile', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  await creator.putNft('a', anNftBody(chain))
  const happens = () => execute('UPDATE users SET approved = 0 WHERE id = ?', creator.user.id)
  const put = putWhile(creator, anNftBody(chain, { publish: true }), { before: COMMIT, happens })
  expect(await put).toMatchObject({ status: 409, code: 'conflict' })
})

it('overwrites nothing that was sent meanwhile', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  await creator.putNft('a', anNftBody(chain, { publish: true }))
  const happens = () =>
    execute(
      `UPDATE proposals SET version = '00000000-0000-4000-8000-000000000000' WHERE userId = ?`,
      creator.user.id,
    )
  const put = putWhile(creator, anNftBody(chain, { publish: true }), { before: COMMIT, happens })
  expect(await put).toMatchObject({ status: 409, code: 'conflict' })
})

it('counts what else of the wallet is offered meanwhile', async () => {
  const chain = theChain()
  const creator = await aCreator(chain, { approved: true })
  await creator.putNft('imported', anNftBody(chain, { amount: 2, publish: true }))
  await creator.putListing('imported', aListingBody('imported'))
  await execute(
    `UPDATE nfts SET externalId = 'imported', heldBySeller = 0 WHERE creatorId = ?`,
    creator.user.id,
  )
  const json = anNftBody(chain, { amount: 3, publish: true })
  await creator.putNft('a', { ...json, publish: false })
  const happens = () =>
    execute(`UPDATE nfts SET amount = 3, availableAmount = 3 WHERE externalId = 'imported'`)
  expect(await putWhile(creator, json, { before: COMMIT, happens })).toMatchObject({
    status: 409,
    code: 'not_held',
  })
})

it('keeps the digits of what waits', async () => {
  const chain = theChain()
  const creator = await aCreator(chain)
  await creator.putNft('a', anNftBody(chain, { publish: true }))
  const proposal = await creator.firstWaiting()
  await creator.decide(proposal, 'approve')
  const { bindings, token } = creator
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(anNftBody(chain, { publish: true })).replace(
    '"name":"Sunrise"',
    '"name":"Sunrise","height":12345678901234567890',
  )
  const answer = await callWith(bindings, 'PUT', '/api/nfts/a', { token, body, headers })
  expect(await answer.text()).toContain('"height":12345678901234567890')
})
