/** Catalogues as spreadsheets. */
import { expect, it } from 'vitest'
import { decodeSpreadsheet, joinProblems, parseSpreadsheet } from '../../src/catalogue/csv.ts'
import { parseLines } from '../../src/catalogue/line.ts'
import { CONTRACT } from './records.ts'

/** The problems of a file, and its records by line. */
function read(text: string) {
  const { lines, problems } = parseSpreadsheet(text)
  const parsed = parseLines(lines, 1, ['localhost'])
  return {
    records: parsed.staged.map(({ line, record }) => [line, record && JSON.parse(record)]),
    problems: joinProblems(problems, parsed.problems).map(
      ({ line, path, message }) => `${line} ${path}: ${message}`,
    ),
  }
}

const head =
  'type,id,creator,nft,seller,email,network,contract,contractName,tokenId,amountType,amount,priceCents,priceEths,priceCurrency,downloadable,metadata.name,metadata.attributes'
const nftCells = `nft,moon-1,mona,,,,localhost,${CONTRACT},Moons`
const sheet = `${head}
user,mona,,,,mona@example.com,,,,,,,,,,,,
${nftCells},1,limited,100,2500,0.0125,EUR,TRUE,Moon #1,"[{""trait_type"":""Phase"",""value"":1.0}]"
listing,moon-1-sale,,moon-1,mona,,,,,,,,2500,0.0125,EUR,,,
`

const records = [
  [
    2,
    {
      type: 'user',
      id: 'mona',
      name: null,
      username: null,
      email: 'mona@example.com',
      ethereumPublicAddr: null,
      walletChainId: 0,
      shopUrl: null,
      removed: false,
    },
  ],
  [
    3,
    expect.objectContaining({
      type: 'nft',
      id: 'moon-1',
      tokenId: '1',
      amount: 100,
      priceCents: 2500,
      priceEths: '0.0125',
      downloadable: true,
      redeemable: false,
      metadata: { name: 'Moon #1', attributes: [{ trait_type: 'Phase', value: 1 }] },
    }),
  ],
  [
    4,
    expect.objectContaining({
      type: 'listing',
      id: 'moon-1-sale',
      nft: 'moon-1',
      seller: 'mona',
      amount: null,
      active: true,
    }),
  ],
]

it('reads users, NFTs and listings from rows, and leaves out the cells that are empty', () => {
  expect(read(sheet)).toEqual({ records, problems: [] })
})

it('keeps the digits of numbers in JSON', () => {
  const [, , line = ''] = parseSpreadsheet(sheet).lines
  expect(line).toContain('"attributes":[{"trait_type":"Phase","value":1.0}]')
})

it('takes semicolons and tabs between the cells, and line ends of Windows', () => {
  const users = [
    ['type', 'id', 'name', 'email'],
    ['user', 'mona', 'Mona, Maker', 'mona@example.com'],
  ]
  for (const separator of [';', '\t']) {
    const text = users.map((cells) => cells.join(separator)).join('\r\n')
    expect(read(text).records).toEqual([[2, { ...Object(records[0]?.[1]), name: 'Mona, Maker' }]])
  }
})

const utf16 = (text: string, isLittleEndian: boolean) => {
  const bytes = new Uint8Array(2 * text.length)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), isLittleEndian)
  return bytes
}

it.each([
  ['UTF-8', new TextEncoder().encode('type;id\nö🦍')],
  ['UTF-8 with a BOM', new TextEncoder().encode('\uFEFFtype;id\nö🦍')],
  ['UTF-16 of Excel', utf16('\uFEFFtype;id\nö🦍', true)],
  ['UTF-16 of other computers', utf16('\uFEFFtype;id\nö🦍', false)],
])('decodes %s', (_, bytes) => {
  expect(decodeSpreadsheet(bytes)).toBe('type;id\nö🦍')
})

it('decodes no other encoding', () => {
  expect(decodeSpreadsheet(new Uint8Array([0x74, 0xf6, 0x0a]))).toBe(null)
})

it('takes off the apostrophe of exports, and no other one', () => {
  const name = (cell: string) => {
    const { lines } = parseSpreadsheet(`type,name,email\nuser,"${cell}",a@example.com`)
    return JSON.parse(lines[1] ?? '').name
  }
  expect(["'=1+1", "'@mona", "'-5", "'+1", "' =1", "'tis", "''=1", '=1+1'].map(name)).toEqual([
    '=1+1',
    '@mona',
    '-5',
    '+1',
    ' =1',
    "'tis",
    "''=1",
    '=1+1',
  ])
})

it.each([
  [
    'tokenId',
    '1.2E+77',
    'must be all digits of the number: spreadsheets shorten long ones, unless the column is formatted as text',
  ],
  [
    'priceCents',
    '25.00',
    'must be a whole number, in minor units of the currency: 2500 means 25.00 EUR',
  ],
  ['priceEths', '5E-05', 'must be a number with a dot and without an exponent: 0.05'],
  ['fee', '2,5', 'must be a number of per cent with a dot: 2.5'],
  ['downloadable', 'WAHR', 'must be TRUE or FALSE'],
  ['metadata.attributes', '[{"trait_type"}]', 'must be JSON'],
  ['amountType', 'many', 'must be one of "unique", "limited", "unlimited"'],
])('says once what is wrong with a cell: %s %s', (column, cell, message) => {
  const columns = `${head},fee`.split(',')
  const cells = Object.fromEntries(
    `${nftCells},1,limited,100,2500,0.0125,EUR,TRUE,Moon #1,,`
      .split(',')
      .map((text, i) => [columns[i], text]),
  )
  const row = columns.map((name) => (name === column ? cell : cells[name]))
  const text = [columns, row].map((line) => line.join(';')).join('\n')
  expect(read(text).problems).toEqual([`2 ${column}: ${message}`])
})

it('counts the lines of cells that have several', () => {
  const text =
    'type,id,email,name\r\nuser,a,a@example.com,"Two\nlines"\r\n\nuser,b,b@example.com,\r\nuser,c,,'
  const { records, problems } = read(text)
  expect(records.map(([line]) => line)).toEqual([2, 5, 6])
  expect(problems).toEqual(['6 email: set email or ethereumPublicAddr, unless the user is removed'])
})

it('names columns that no record has, that come twice, and values without a column', () => {
  expect(read('type,id,prize,email,email,metadata,metadata.name\n').problems).toEqual([
    '1 prize: is no field of a user, an NFT or a listing',
    '1 email: is the name of two columns',
    '1 metadata: has a column for one of its parts, metadata.name',
  ])
  expect(read('type,id,email,,\nuser,a,a@example.com,,x,y\n').problems).toEqual([
    '2 : has a value in a column without a name',
    '2 : has a value in a column without a name',
  ])
  expect(read('id.name,__proto__,metadata.__proto__\n1,2,3').problems.slice(0, 2)).toEqual([
    '1 id.name: is no field of a user, an NFT or a listing',
    '1 __proto__: is no field of a user, an NFT or a listing',
  ])
})

it('says where a quote is not closed', () => {
  expect(read('type,id,email\nuser,a,"a@example.com\nuser,b,b@example.com\n').problems).toEqual([
    '2 : has a quote that is not closed, or one inside a cell that is not written twice',
    '2 email: must be an e-mail address',
  ])
})
