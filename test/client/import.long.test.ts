/** `npm run import -- --remote` with a file that is too large for one import. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { command as importCommand } from '../../scripts/operate/import.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { call } from '../support/call.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { instance, query } from '../support/instance/instance.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  await pointStagingAt(instance.url)
  return remove
})

const SIZE = 21_000
const contract = `0x${'7'.repeat(40)}`
const nfts = Array.from({ length: SIZE }, (_, i) => anNftRecord(`large-${i}`, i, { contract }))
const listing = aListingRecord('large-sale', `large-${SIZE - 1}`)

const run = (...args: string[]) =>
  call(importCommand, ['large.jsonl', ...args, '--remote', '--env', 'staging'], {
    MARKETPLACE_TOKEN: instance.token,
  })

const stored = async () => {
  const [row] = await query("SELECT count(*) AS nfts FROM nfts WHERE externalId LIKE 'large-%'")
  return row
}

it('is rehearsed, imported in parts, and sent as a whole again once the part with a problem is corrected', async () => {
  const wrong = { ...listing, seller: 'large-seller' }
  const last = { ...nfts[SIZE - 1], creator: 'large-nobody' }
  const cleo = aUserRecord('cleo')
  await writeFile('large.jsonl', linesOf([cleo, ...nfts.slice(0, -1), last, wrong]))
  const refused = await run()
  expect(refused.out).toBe('Imported part 1 of 3.\nImported part 2 of 3.\n')
  expect(refused.errors).toMatch(
    /^Imported 2 parts, and nothing of the others\. 2 problems in 2 lines/,
  )
  expect(refused.errors).toContain(`line ${SIZE + 1}, creator: there is no such user`)
  expect(await stored()).toEqual({ nfts: 20_000 })

  await writeFile('large.jsonl', linesOf([cleo, ...nfts, listing]))
  const rehearsal = await run('--dry-run')
  expect(rehearsal).toMatchObject({ errors: '', status: 0 })
  expect(rehearsal.out).toMatch(/^NFTs +1000 created, 0 updated, 20000 unchanged$/m)
  expect(await stored()).toEqual({ nfts: 20_000 })

  const { out, errors } = await run()
  expect(errors).toBe('')
  expect(out).toContain('Imported part 3 of 3.\n')
  expect(out).toMatch(/^users +0 created, 0 updated, 1 unchanged$/m)
  expect(out).toMatch(/^NFTs +1000 created, 0 updated, 20000 unchanged$/m)
  expect(out).toMatch(/^listings +1 created, 0 updated, 0 unchanged$/m)
  expect(await stored()).toEqual({ nfts: SIZE })
  expect(existsSync('large.import.json')).toBe(false)
})
