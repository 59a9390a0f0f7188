/** `npm run codes`: the codes of a file on their way to a running instance, in several calls. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { aDevProject, READY } from '../support/dev.ts'

const { project, ports } = await aDevProject()
const COUNT = 12_000
const inProject = (name: string) => join(project.folder, name)

let operator: MarketplaceClient
beforeAll(async () => {
  await project.start('dev', READY, ports)
  const token = (await project.run('token', ['--master'])).out.trim()
  operator = createClient({ url: `http://localhost:${ports.PORT}`, token })
  const content = { release: 'delivered', codes: true }
  const records = [aUserRecord('cleo'), anNftRecord('concert', 1, { amount: null, content })]
  await writeFile(inProject('concert.jsonl'), linesOf(records))
  await project.run('import', ['concert.jsonl'])
})

it('adds each code once, and says how many pieces can be sold', async () => {
  const codes = Array.from({ length: COUNT }, (_, i) => `ROW-${i}\r\n`)
  await writeFile(inProject('codes.txt'), codes.join(''))
  const send = () => project.run('codes', ['codes.txt', '--nft', 'concert'])
  expect((await send()).out).toContain(
    'Added 12,000 codes; 0 were there. 12,000 pieces of concert can be sold.\n',
  )
  expect((await send()).out).toContain('Added 0 codes; 12,000 were there.')
  const counts = await operator.countCodes({ nft: 'externalId:concert' })
  expect(counts).toEqual({ codes: COUNT, given: 0, forSale: COUNT, owed: 0 })
})

it('says what is wrong with a file', async () => {
  await writeFile(inProject('wrong.txt'), `fine\nin\u200bvisible\n`)
  const send = (...args: string[]) => project.run('codes', args)
  expect((await send('wrong.txt', '--nft', 'concert')).errors).toContain(
    'wrong.txt: lines[2] must not have U+200B at position 3',
  )
  expect((await send('codes.txt', '--nft', 'other')).errors).toContain('there is no such NFT')
  expect((await send('wrong.txt')).errors).toContain('Name the NFT: --nft ID.')
})
