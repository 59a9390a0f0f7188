/** `npm run import` and `npm run export` with the local database. */
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeGrants } from '../../../scripts/operate/catalogue/mints.ts'
import { command as exportCommand } from '../../../scripts/operate/export.ts'
import { command as importCommand } from '../../../scripts/operate/import.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../../catalogue/records.ts'
import { call } from '../../support/call.ts'
import { aFolder, aLocalDatabase } from '../../support/command.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  await aLocalDatabase()
  return remove
})

const importFile = (...args: string[]) => call(importCommand, args)
const exportTo = (file: string) => call(exportCommand, [file])
const read = (name: string) => readFile(name, 'utf8')
const counts = (users: string, nfts: string, listings: string) =>
  `users     ${users}\nNFTs      ${nfts}\nlistings  ${listings}\n`

const tokens = Array.from({ length: 50 }, (_, i) => i)
const traits = ['Background', 'Fur', 'Eyes', 'Mouth', 'Hat', 'Clothes']

/** With metadata as that of a well-known collection. */
const collection = linesOf([
  aUserRecord('cleo', { name: 'Cleo', username: 'cleo' }),
  ...tokens.map((token) =>
    anNftRecord(`ape-${token}`, token, {
      amountType: 'unique',
      amount: undefined,
      metadata: {
        name: `Ape #${token}`,
        description: 'Ten thousand apes with “quotes”, \u2028 and emoji 🦍.',
        image: `ipfs://bafybeigdyrzt5s/${token}.png`,
        attributes: traits.map((trait_type, i) => ({ trait_type, value: (token * 7 + i) % 31 })),
      },
    }),
  ),
  aListingRecord('sale', 'ape-1'),
])

it('imports a collection, exports it, and imports it again without a change', async () => {
  await writeFile('apes.jsonl', collection)
  const created = counts(
    '1 created, 0 updated, 0 unchanged',
    '50 created, 0 updated, 0 unchanged',
    '1 created, 0 updated, 0 unchanged',
  )
  const hint = (file: string) =>
    `${file}.ids.jsonl has the numbers of these records in the API. The API finds them by your ids, too: GET /api/public/listings/externalId:<id>, GET /api/public/nfts/externalId:<id>.\n`
  expect(await importFile('apes.jsonl')).toEqual({
    out: created + hint('apes'),
    errors: '',
    status: 0,
  })
  const exported = await exportTo('first.jsonl')
  expect(exported).toEqual({
    out: 'Wrote 52 records to first.jsonl.\n',
    errors: '',
    status: 0,
  })
  const unchanged = counts(
    '0 created, 0 updated, 1 unchanged',
    '0 created, 0 updated, 50 unchanged',
    '0 created, 0 updated, 1 unchanged',
  )
  expect((await importFile('first.jsonl')).out).toBe(unchanged + hint('first'))
  // The first records of an empty database.
  const numbered = (await read('apes.ids.jsonl')).split('\n')
  expect([numbered[0], numbered[50], ...numbered.slice(51)]).toEqual([
    '{"type":"user","id":"cleo","number":1}',
    '{"type":"nft","id":"ape-49","number":50}',
    '{"type":"listing","id":"sale","number":1}',
    '',
  ])
  // The metadata is what the file had.
  const metadataIn = (text: string) => text.match(/"metadata":.*/g)
  expect(metadataIn(await read('first.jsonl'))).toEqual(metadataIn(collection))
  expect((await stat('first.jsonl')).mode & 0o777).toBe(0o600)
})

describe('a file with problems', () => {
  const nft = anNftRecord('new-1', 20_001)
  const wrong = { ...nft, id: 'new-2', tokenId: 20_002, metadata: { name: 5 } }
  const lost = { ...nft, id: 'new-3', tokenId: '20003', creator: 'nobody' }
  const sale = aListingRecord('sale-2', 'new-2')
  const text = `${linesOf([nft, wrong])}not JSON\n${linesOf([lost, sale])}`

  it('is not imported, and all problems are told with line, field, value and code', async () => {
    await writeFile('bad.jsonl', text)
    const { out, errors, status } = await importFile('bad.jsonl')
    expect({ out, status }).toEqual({ out: '', status: 1 })
    expect(errors).toBe(`Nothing was imported. 4 problems in 3 lines of bad.jsonl:
  line 2, tokenId: must be text (invalid_input): 20002
  line 2, metadata.name: must be text (invalid_input): 5
  line 3: must be JSON of at most 131072 characters (invalid_input)
  line 4, creator: there is no such user: add a record of it (user_not_found): "nobody"
All problems are in bad.problems.jsonl, and these lines in bad.failed.jsonl.
`)
    expect(await read('bad.failed.jsonl')).toBe(`${linesOf([wrong])}not JSON\n${linesOf([lost])}`)
    const [first] = (await read('bad.problems.jsonl')).split('\n')
    expect(JSON.parse(first ?? '')).toEqual({
      line: 2,
      path: 'tokenId',
      value: 20_002,
      code: 'invalid_input',
      message: 'must be text',
    })
  })

  it('leaves no report when it is corrected', async () => {
    await writeFile('bad.jsonl', linesOf([nft]))
    expect((await importFile('bad.jsonl')).status).toBe(0)
    expect(['bad.problems.jsonl', 'bad.failed.jsonl'].filter(existsSync)).toEqual([])
  })

  it.each([
    ['blank.jsonl', '\n \n', 'blank.jsonl has no lines.\n'],
    ['cut.jsonl', Buffer.from([0x22, 0xc3]), 'cut.jsonl is not valid UTF-8.\n'],
  ])('%s', async (name, content, message) => {
    await writeFile(name, content)
    const { errors, status } = await importFile(name)
    expect({ errors, status }).toEqual({ errors: message, status: 1 })
  })
})

it('asks before it changes a price by much', async () => {
  const price = (priceCents: number) =>
    writeFile('price.jsonl', linesOf([aListingRecord('sale', 'ape-1', { priceCents })]))
  await price(2001)
  const question = `Not imported. Prices that would be more than double or less than half of what they are, or in another currency: 1. If they are right, run the command again with --confirm:
  line 1, priceCents: is 1000 EUR (0.005 ETH), and would be 2001 EUR (0.005 ETH) (confirmation_required)
`
  for (const more of [[], ['--dry-run']])
    expect(await importFile('price.jsonl', ...more)).toEqual({
      out: '',
      errors: question,
      status: 1,
    })
  const { out, status } = await importFile('price.jsonl', '--confirm')
  expect(status).toBe(0)
  expect(out).toContain('listings  0 created, 1 updated, 0 unchanged')
})

describe('a spreadsheet', () => {
  const head = [
    ...['type', 'id', 'email', 'creator', 'network', 'contract', 'contractName', 'tokenId'],
    ...['amountType', 'priceCents', 'priceEths', 'priceCurrency', 'metadata.name', 'nft', 'seller'],
  ]
  const place = ['localhost', `0x${'c'.repeat(40)}`, 'Moons']
  const aMoon = (tokenId: string, priceCents: string) => [
    ...['nft', 'moon-1', '', 'mona', ...place, tokenId],
    ...['unique', priceCents, '0.0125', 'EUR', 'Moon, full', '', ''],
  ]
  const rows = (tokenId: string, priceCents: string) => [
    head,
    ['user', 'mona', 'mona@example.com', ...Array(12).fill('')],
    aMoon(tokenId, priceCents),
    [
      ...['listing', 'moon-1-sale', '', '', '', '', '', ''],
      ...['', '2500', '0.0125', 'EUR', '', 'moon-1', 'mona'],
    ],
  ]
  const write = (name: string, rows: string[][]) =>
    writeFile(name, `\uFEFF${rows.map((row) => row.join(';')).join('\r\n')}`)

  it('is not imported, and its problems are told with line and column', async () => {
    await write('moons.csv', [...rows('1.2E+77', '25,00'), ['listing', 'moon-2-sale']])
    const { out, errors, status } = await importFile('moons.csv')
    expect({ out, status }).toEqual({ out: '', status: 1 })
    expect(errors).toBe(`Nothing was imported. 6 problems in 2 lines of moons.csv:
  line 3, tokenId: must be all digits of the number: spreadsheets shorten long ones, unless the column is formatted as text (invalid_input): "1.2E+77"
  line 3, priceCents: must be a whole number, in minor units of the currency: 2500 means 25.00 EUR (invalid_input): "25,00"
  line 5, nft: is required (invalid_input)
  line 5, seller: is required (invalid_input)
  line 5, priceCents: is required (invalid_input)
  line 5, priceCurrency: is required (invalid_input)
All problems are in moons.problems.jsonl, and these lines in moons.failed.jsonl.
`)
  })

  it('is imported as JSON Lines are, and an export of it changes nothing', async () => {
    await write('moons.csv', rows('1', '2500'))
    const { out, errors, status } = await importFile('moons.csv')
    expect({ errors, status }).toEqual({ errors: '', status: 0 })
    const created = '1 created, 0 updated, 0 unchanged'
    expect(out).toContain(counts(created, created, created))
    expect(await read('moons.ids.jsonl')).toMatch(
      /^{"type":"user","id":"mona","number":\d+}\n{"type":"nft","id":"moon-1","number":\d+}\n/,
    )
    expect((await importFile('moons.csv')).out).toContain(
      'listings  0 created, 0 updated, 1 unchanged',
    )
  })

  it.each([
    [
      'other.csv',
      Buffer.from('type;id\nuser;M\xfcller', 'latin1'),
      'other.csv is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".\n',
    ],
    ['empty.csv', 'type;id\r\n;\r\n', 'empty.csv has no lines.\n'],
  ])('%s', async (name, content, message) => {
    await writeFile(name, content)
    const { errors, status } = await importFile(name)
    expect({ errors, status }).toEqual({ errors: message, status: 1 })
  })
})

it('tells what to grant for NFTs that are minted on delivery', async () => {
  const [first, other] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`)
  await writeFile(
    'mints.jsonl',
    linesOf([
      anNftRecord('mint-1', 1, { contract: first, fulfilment: 'mint' }),
      anNftRecord('mint-2', 2, {
        contract: first?.toUpperCase().replace('X', 'x'),
        fulfilment: 'mint',
      }),
      anNftRecord('mint-3', 3, { contract: other, fulfilment: 'transfer' }),
    ]),
  )
  expect(await describeGrants('mints.jsonl')).toEqual([
    expect.stringMatching(
      /^NFTs of this file are minted on delivery\. .+ Before the first order:$/,
    ),
    'Let the Delivery contract of localhost mint 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa: grant it MINTER_ROLE, or transfer the ownership of the token to it. Then set the limit of the token, and look what is missing:',
    '  npm run contract -- set-token-limit --network localhost --token 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa --capacity PIECES --per-day PIECES',
    '  npm run contract -- status --network localhost',
  ])
})
