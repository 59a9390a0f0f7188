/** What `npm run import` says of files before it sends anything. `test/client` has what it sends. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeGrants } from '../../../scripts/operate/catalogue/mints.ts'
import { command as importCommand } from '../../../scripts/operate/import.ts'
import { anNftRecord, linesOf } from '../../catalogue/records.ts'
import { call } from '../../support/call.ts'
import { aFolder } from '../../support/command.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  return remove
})

const importFile = (...args: string[]) =>
  call(importCommand, [...args, '--remote', '--env', 'staging'], { MARKETPLACE_TOKEN: 'unused' })
const read = (name: string) => readFile(name, 'utf8')
it('needs an instance', async () => {
  const { errors, status } = await call(importCommand, ['catalogue.jsonl'])
  expect({ errors, status }).toEqual({
    errors: 'Nothing is running in this folder. Start it first: `npm run dev`\n',
    status: 1,
  })
})

it('imports nothing of a file with problems, and tells all with line, field, value and code', async () => {
  const nft = anNftRecord('new-1', 20_001)
  const wrong = { ...nft, id: 'new-2', tokenId: 20_002, metadata: { name: 5 } }
  await writeFile('bad.jsonl', `${linesOf([nft, wrong])}not JSON\n`)
  const { out, errors, status } = await importFile('bad.jsonl')
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toBe(`Nothing was imported. 3 problems in 2 lines of bad.jsonl:
  line 2, tokenId: must be text (invalid_input): 20002
  line 2, metadata.name: must be text (invalid_input): 5
  line 3: must be JSON of at most 131072 characters (invalid_input)
All problems are in bad.problems.jsonl, and these lines in bad.failed.jsonl.
`)
  expect(await read('bad.failed.jsonl')).toBe(`${linesOf([wrong])}not JSON\n`)
  const [first] = (await read('bad.problems.jsonl')).split('\n')
  expect(JSON.parse(first ?? '')).toEqual({
    line: 2,
    path: 'tokenId',
    value: 20_002,
    code: 'invalid_input',
    message: 'must be text',
  })
})

it('tells the problems of a spreadsheet with line and column', async () => {
  const head = [
    ...['type', 'id', 'creator', 'network', 'contract', 'contractName', 'tokenId', 'amountType'],
    ...['priceCents', 'priceEths', 'priceCurrency', 'metadata.name', 'nft', 'seller'],
  ]
  const moon = [
    ...['nft', 'moon-1', 'mona', 'localhost', `0x${'c'.repeat(40)}`, 'Moons', '1.2E+77', 'unique'],
    ...['25,00', '0.0125', 'EUR', 'Moon, full'],
  ]
  const rows = [head, moon, ['listing', 'moon-2-sale']]
  await writeFile('moons.csv', `\uFEFF${rows.map((row) => row.join(';')).join('\r\n')}`)
  const { out, errors, status } = await importFile('moons.csv')
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toBe(`Nothing was imported. 6 problems in 2 lines of moons.csv:
  line 2, tokenId: must be all digits of the number: spreadsheets shorten long ones, unless the column is formatted as text (invalid_input): "1.2E+77"
  line 2, priceCents: must be a whole number, in minor units of the currency: 2500 means 25.00 EUR (invalid_input): "25,00"
  line 3, nft: is required (invalid_input)
  line 3, seller: is required (invalid_input)
  line 3, priceCents: is required (invalid_input)
  line 3, priceCurrency: is required (invalid_input)
All problems are in moons.problems.jsonl, and these lines in moons.failed.jsonl.
`)
})

it.each([
  ['blank.jsonl', '\n \n', 'blank.jsonl has no lines.\n'],
  ['cut.jsonl', Buffer.from([0x22, 0xc3]), 'cut.jsonl is not valid UTF-8.\n'],
  [
    'other.csv',
    Buffer.from('type;id\nuser;M\xfcller', 'latin1'),
    'other.csv is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".\n',
  ],
])('%s', async (name, content, message) => {
  await writeFile(name, content)
  const { errors, status } = await importFile(name)
  expect({ errors, status }).toEqual({ errors: message, status: 1 })
})

describe('files of NFTs', () => {
  const aFiled = (id: string, token: number, files: object[]) =>
    anNftRecord(id, token, { content: { release: 'delivered', files } })

  it('are told with their lines if one is missing or another one, and nothing is imported', async () => {
    await mkdir('files')
    await writeFile('files/take.wav', 'of others')
    await mkdir('outside')
    await writeFile('outside/key.txt', 'of the operator')
    // `printf %s 'of the song' | sha256sum`, and of the others.
    const song = 'bd71440db2ad09d681d28519b1c939deb670a46cfea5af242117cb51c9bc4da5'
    const others = '288c651d6fdbbcc0203c6223c0b3c44e03b254fe546cdc81a4502deb1c0f3d3f'
    await writeFile(
      'wrong.jsonl',
      linesOf([
        aFiled('new-1', 11, [{ name: 'take.wav' }, { name: 'none.wav' }]),
        aFiled('new-2', 12, [{ name: 'take.wav', bytes: 10, sha256: song }]),
        aFiled('../outside', 13, [{ name: 'key.txt' }]),
      ]),
    )
    const { errors, status } = await importFile('wrong.jsonl', '--files', 'files')
    expect(status).toBe(1)
    expect(errors).toMatch(/^Nothing was imported\. 4 problems in 3 lines of wrong\.jsonl:/)
    expect(errors.match(/^ {2}line.*$/gm)).toEqual([
      '  line 1, content.files[1]: there is no file files/none.wav (not_found)',
      '  line 2, content.files[0].bytes: that of files/take.wav is 9 (file_differs)',
      `  line 2, content.files[0].sha256: that of files/take.wav is ${others} (file_differs)`,
      '  line 3, content.files[0]: there is no file files/key.txt (not_found)',
    ])
  })

  it('need their folder, unless the record says what they are', async () => {
    await writeFile('songs.jsonl', linesOf([aFiled('song', 1, [{ name: 'take.wav' }])]))
    expect((await importFile('songs.jsonl')).errors).toContain(
      'line 1, content.files[0].bytes: is required',
    )
    expect((await importFile('songs.jsonl', '--files', 'nowhere')).errors).toBe(
      'There is no folder nowhere.\n',
    )
  })
})

it.each([
  [['--from-chain', '0x12', '--network', 'sepolia'], '--from-chain must be an address'],
  [['--from-chain', `0x${'1'.repeat(40)}`], '--from-chain needs --network.'],
  [['x.jsonl', '--currency', 'EUR'], '--currency needs --from-chain.'],
  [[], 'Name one file.'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await importFile(...args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
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
