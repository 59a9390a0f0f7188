/** `npm run import` and `npm run export` with the instance that is running in the folder. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { command as exportCommand } from '../../scripts/operate/export.ts'
import { command as importCommand } from '../../scripts/operate/import.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { aChain, type Chain, type Contract } from '../scripts/catalogue/chain/world.ts'
import { call } from '../support/call.ts'
import { inLong } from '../support/cases.ts'
import { instance } from '../support/instance/instance.ts'

const root = process.cwd()
let chain: Chain
let contract: Contract
beforeAll(async () => {
  chain = await aChain()
  contract = await chain.aCollection()
  await contract.send('mint', 0n, 30n)
  process.chdir(instance.folder)
})
afterAll(async () => {
  process.chdir(root)
  await chain.stop()
})

const run = (...args: string[]) => call(importCommand, args)

it('imports a spreadsheet, and an export of it changes nothing', async () => {
  const rows = [
    [
      ...['type', 'id', 'email', 'creator', 'network', 'contract', 'contractName', 'tokenId'],
      ...[
        'amountType',
        'priceCents',
        'priceEths',
        'priceCurrency',
        'metadata.name',
        'nft',
        'seller',
      ],
    ],
    ['user', 'mona', 'mona@example.com', ...Array(12).fill('')],
    [
      ...['nft', 'moon-1', '', 'mona', 'localhost', `0x${'c'.repeat(40)}`, 'Moons', '1'],
      ...['unique', '2500', '0.0125', 'EUR', 'Moon, full', '', ''],
    ],
    [
      ...['listing', 'moon-1-sale', '', '', '', '', '', ''],
      ...['', '2500', '0.0125', 'EUR', '', 'moon-1', 'mona'],
    ],
  ]
  await writeFile('moons.csv', `\uFEFF${rows.map((row) => row.join(';')).join('\r\n')}`)
  await writeFile('moons.problems.jsonl', 'of an earlier run')
  const created = '1 created, 0 updated, 0 unchanged'
  expect(await run('moons.csv')).toEqual({
    out: `users     ${created}\nNFTs      ${created}\nlistings  ${created}
moons.ids.jsonl has the numbers of these records in the API. The API finds them by your ids, too: GET /api/public/listings/externalId:<id>, GET /api/public/nfts/externalId:<id>.
`,
    errors: '',
    status: 0,
  })
  expect(existsSync('moons.problems.jsonl')).toBe(false)
  expect(await readFile('moons.ids.jsonl', 'utf8')).toMatch(
    /^{"type":"user","id":"mona","number":\d+}\n{"type":"nft","id":"moon-1","number":\d+}\n/,
  )
  expect((await call(exportCommand, ['copy.jsonl'])).out).toMatch(
    /^Wrote \d+ records to copy\.jsonl\.\n$/,
  )
  expect((await stat('copy.jsonl')).mode & 0o777).toBe(0o600)
  const copy = (await readFile('copy.jsonl', 'utf8')).split('\n')
  const moons = copy.filter((line) => /"id":"mo(on-1|on-1-sale|na)"/.test(line))
  await writeFile('moons.jsonl', moons.join('\n'))
  const unchanged = '0 created, 0 updated, 1 unchanged'
  expect((await run('moons.jsonl')).out).toContain(
    `users     ${unchanged}\nNFTs      ${unchanged}\nlistings  ${unchanged}\n`,
  )
})

it('gets size, hash and type of files from them, first from the folder of the NFT', async () => {
  await mkdir('songs/song-1', { recursive: true })
  await writeFile('songs/terms.pdf', 'terms')
  await writeFile('songs/take.wav', 'of others')
  await writeFile('songs/song-1/take.wav', 'of the song')
  const aSong = (id: string, token: number, files: object[]) =>
    anNftRecord(id, token, {
      contract: `0x${'50'.repeat(20)}`,
      content: { release: 'delivered', files },
    })
  await writeFile(
    'songs.jsonl',
    linesOf([
      aUserRecord('cleo'),
      aSong('song-1', 1, [{ name: 'take.wav' }, { name: 'terms.pdf', type: 'text/plain' }]),
      aSong('song-2', 2, [{ name: 'take.wav' }]),
    ]),
  )
  const rehearsal = await run('songs.jsonl', '--files', 'songs', '--dry-run')
  expect(rehearsal.out).not.toContain('Sent')
  const { out, errors } = await run('songs.jsonl', '--files', 'songs')
  expect(errors).toBe('')
  expect(out).toMatch(/^Sent 3 files\.$/m)
  const client = createClient(instance)
  const filesOf = async (nft: string) =>
    (await client.listContentFiles({ nft: `externalId:${nft}` })).files
  expect([...(await filesOf('song-1')), ...(await filesOf('song-2'))]).toMatchObject([
    {
      ...{ name: 'take.wav', type: 'audio/wav', bytes: 11, state: 'stored' },
      // `printf %s 'of the song' | sha256sum`.
      sha256: 'bd71440db2ad09d681d28519b1c939deb670a46cfea5af242117cb51c9bc4da5',
    },
    { name: 'terms.pdf', type: 'text/plain', bytes: 5, state: 'stored' },
    { name: 'take.wav', type: 'audio/wav', bytes: 9, state: 'stored' },
  ])
})

const prices = ['--price-cents', '5000', '--price-eths', '0.02', '--currency', 'EUR']

/** Imports the contract from its chain, of which nobody else knows. */
const importContract = (...args: string[]) => {
  const owner = ['--creator', localAccount(9).address]
  const place = ['--from-chain', contract.address, '--network', 'localhost']
  return call(importCommand, [...place, ...owner, ...args], { RPC_PORT: new URL(chain.url).port })
}

// The contract of the test has no function that transfers.
it('imports a collection from a chain, and changes nothing the second time', async () => {
  const file = `localhost-${contract.address.toLowerCase()}.jsonl`
  const block = await chain.client.getBlockNumber()
  expect(await importContract(...prices)).toEqual({
    out: `${file} has 30 NFTs, as of block ${block}.
users     1 created, 0 updated, 0 unchanged
NFTs      30 created, 0 updated, 0 unchanged
listings  30 created, 0 updated, 0 unchanged
${file.replace('.jsonl', '.ids.jsonl')} has the numbers of these records in the API. The API finds them by your ids, too: GET /api/public/listings/externalId:<id>, GET /api/public/nfts/externalId:<id>.
Their holders have to approve the Delivery contract. To mint more of them on delivery, set "fulfilment" to "mint" in ${file} and import it again, which prints what to grant.
These NFTs, and others of the same contract and seller, cannot be delivered now. Orders wait for a permission that is missing; what has another reason is not sold until it can be delivered:
  localhost ${contract.address} 0: ${rules.holder_has_no_token.sentence}: no reason given (holder_has_no_token)
  localhost ${contract.address} 29: ${rules.holder_has_no_token.sentence}: no reason given (holder_has_no_token)
`,
    errors: '',
    status: 0,
  })
  const bytes = await readFile(file, 'utf8')
  const { out } = await importContract(...prices)
  expect(out).toContain(`users     0 created, 0 updated, 1 unchanged
NFTs      0 created, 0 updated, 30 unchanged
listings  0 created, 0 updated, 30 unchanged
`)
  expect(await readFile(file, 'utf8')).toBe(bytes)
})

it('changes nothing that was set since, which the contract does not know', async () => {
  const { errors, status } = await importContract('new.jsonl')
  expect(status).toBe(1)
  expect(errors).toMatch(/^new\.jsonl would change 30 records that the marketplace has already\./)
})

inLong('imports the other tokens if some are left out, and fails', async () => {
  await contract.send('mint', 30n, 2n)
  await contract.send('setReverts', 31n)
  const { out, errors, status } = await importContract(...prices)
  expect(out).toMatch(/^NFTs +1 created, 0 updated, 30 unchanged$/m)
  expect(errors).toBe(`Token 31 is left out: uri: is missing in the contract
Without 1 token. Run the command again to try them again.
`)
  expect(status).toBe(1)
})
