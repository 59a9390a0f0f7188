import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Collection,
  type CollectionOptions,
  readCollection,
} from '../../../../scripts/catalogue/chain/read.ts'
import {
  aChain,
  aFile,
  aProvider,
  aServer,
  type Chain,
  type Contract,
  creator,
  type RpcCall,
  recordsIn,
} from './world.ts'

let chain: Chain

beforeAll(async () => {
  chain = await aChain()
})
afterAll(() => chain.stop())

/** The selector of `tokenByIndex`. */
const TOKEN_BY_INDEX = '0x4f6ccce7'

type Options = Omit<Partial<CollectionOptions>, 'address'>

/** Reads a contract into a new file, unless the options name one. */
async function read({ address }: Pick<Contract, 'address'>, options: Options = {}) {
  const file = options.file ?? (await aFile())
  const network = chain.network()
  // Tests do not wait.
  const wait = async () => {}
  const collection: Collection = await readCollection({ network, wait, ...options, address, file })
  const [user, ...records] = recordsIn(file)
  return { ...collection, file, user, records }
}

const names = (records: { type: string; metadata: { name: string } }[]) =>
  records.filter(({ type }) => type === 'nft').map(({ metadata }) => metadata.name)

const idOf = ({ address }: Contract, token: string | number) =>
  `test-${address.toLowerCase()}-${token}`

describe('a contract that lists its tokens', () => {
  it('gives a user, and an NFT for each token that exists', async () => {
    const server = await aServer()
    const contract = await chain.anEnumerable(`${server.url}/`)
    for (let i = 0; i < 4; i++) await contract.send('mint', creator.address)
    await contract.send('burn', 1n)
    const { user, records, nfts, listings, problems, warnings } = await read(contract, {
      loopbackHosts: [server.host],
      creator: { wallet: creator.address },
    })
    expect(user).toEqual({
      type: 'user',
      id: creator.address.toLowerCase(),
      ethereumPublicAddr: creator.address,
    })
    const nft = (token: number) => ({
      type: 'nft',
      id: idOf(contract, token),
      creator: creator.address.toLowerCase(),
      network: 'test',
      contract: contract.address,
      contractName: 'Collectible',
      tokenId: String(token),
      amountType: 'unique',
      amount: 1,
      status: 'draft',
      priceCents: 0,
      priceEths: '0',
      priceCurrency: 'EUR',
      metadata: { name: `Token ${token}`, image: `ipfs://x/${token}` },
    })
    expect(records).toEqual([nft(0), nft(2), nft(3)])
    expect({ nfts, listings, problems, warnings }).toEqual({
      nfts: 3,
      listings: 0,
      problems: [],
      warnings: [],
    })
  })

  it('is read without events', async () => {
    const server = await aServer()
    const contract = await chain.anEnumerable(`${server.url}/`)
    for (let i = 0; i < 3; i++) await contract.send('mint', creator.address)
    const provider = await aProvider(chain.url)
    const { nfts } = await read(contract, {
      network: chain.network([provider.url]),
      loopbackHosts: [server.host],
      creator: { wallet: creator.address },
    })
    expect(nfts).toBe(3)
    expect(provider.seen.calls).not.toHaveProperty('eth_getLogs')
  })

  it('is read on from the tokens that were stored', async () => {
    const contract = await chain.aCollection()
    await contract.send('list', 1_200n)
    const isListed = ([call]: RpcCall['params']) => String(call?.data).startsWith(TOKEN_BY_INDEX)
    let calls = 0
    const provider = await aProvider(chain.url, ({ params }) => {
      calls += Number(isListed(params))
      return calls > 600 ? { status: 502 } : undefined
    })
    const options = { file: await aFile(), network: chain.network([provider.url]) }
    await expect(read(contract, options)).rejects.toThrow('answered with HTTP 502')
    calls = 0
    provider.setRule(({ params }) => {
      calls += Number(isListed(params))
      return undefined
    })
    expect((await read(contract, options)).nfts).toBe(1_200)
    expect(calls).toBe(700)
  })

  it.each([
    ['the node has lost the state', { error: { code: -32000, message: 'missing trie node' } }],
    ['the list is broken', { error: { code: 3, message: 'execution reverted' } }],
    ['the list repeats a token', { result: `0x${'0'.repeat(64)}` }],
  ])('is read from its events if %s', async (_, refusal) => {
    const server = await aServer()
    const contract = await chain.anEnumerable(`${server.url}/`)
    for (let i = 0; i < 3; i++) await contract.send('mint', creator.address)
    const provider = await aProvider(chain.url, ({ params: [call] }) =>
      String(call?.data).startsWith(TOKEN_BY_INDEX) ? refusal : undefined,
    )
    const { nfts } = await read(contract, {
      network: chain.network([provider.url]),
      loopbackHosts: [server.host],
      creator: { wallet: creator.address },
    })
    expect(nfts).toBe(3)
    expect(provider.seen.ranges).toHaveLength(1)
  })
})

describe('an ERC-721 contract that does not list its tokens', () => {
  it('gives an NFT for each token that was minted and not burned, by number', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 9n, 3n)
    await contract.send('mintConsecutive', 100n, 102n)
    await contract.send('mint', 2n ** 256n - 2n, 1n)
    await contract.send('transfer', 9n)
    await contract.send('burn', 10n)
    await contract.send('burn', 101n)
    await contract.send('burn', 11n)
    await contract.send('mint', 11n, 1n)
    const { records } = await read(contract)
    expect(records.map(({ id }) => id)).toEqual([
      idOf(contract, 9),
      idOf(contract, 11),
      idOf(contract, 100),
      idOf(contract, 102),
      idOf(contract, (2n ** 256n - 2n).toString()),
    ])
    expect(records[4]).toMatchObject({
      tokenId: '115792089237316195423570985008687907853269984665640564039457584007913129639934',
      contractName: 'Plain collection',
    })
  })

  it('refuses an event with more tokens than a collection can have', async () => {
    const contract = await chain.aCollection()
    await contract.send('mintConsecutive', 0n, 2n ** 255n)
    await expect(read(contract)).rejects.toThrow('The collection has more than 1000000 tokens.')
  })

  it('warns if the contract counts more tokens than were found', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 2n)
    await contract.send('setTotalSupply', 3n)
    expect((await read(contract)).warnings).toEqual([
      'The contract says that it has 3 tokens. 2 were found.',
    ])
  })

  it('is read from the block that was asked for', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const fromBlock = Number(await chain.client.getBlockNumber()) + 1
    await contract.send('mint', 2n, 1n)
    expect(names((await read(contract, { fromBlock })).records)).toEqual(['Token 2'])
  })

  it('is read from the block in which it was deployed', async () => {
    await chain.mine(500)
    const contract = await chain.aCollection()
    const deployed = Number(await chain.client.getBlockNumber())
    await contract.send('mint', 1n, 1n)
    const provider = await aProvider(chain.url)
    const { nfts, block } = await read(contract, { network: chain.network([provider.url]) })
    expect({ nfts, block }).toEqual({ nfts: 1, block: deployed + 1 })
    expect(provider.seen.ranges).toEqual([{ from: deployed, to: deployed + 1 }])
  })

  it('is read from the first block if the node does not know old states', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const provider = await aProvider(chain.url, ({ method, params: [, block] }) =>
      method === 'eth_getCode' && block !== 'latest'
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    )
    const { nfts } = await read(contract, { network: chain.network([provider.url]) })
    expect(nfts).toBe(1)
    expect(provider.seen.ranges[0]).toMatchObject({ from: 0 })
  })

  it('is read up to the final block', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    await contract.send('mint', 2n, 1n)
    const network = { ...chain.network(), finality: 2 }
    const file = await aFile()
    expect(names((await read(contract, { network, file })).records)).toEqual(['Token 1'])
    await chain.mine(1)
    expect(names((await read(contract, { network, file })).records)).toEqual(['Token 1', 'Token 2'])
  })
})

describe('an ERC-1155 contract', () => {
  const account = creator.address

  it('gives an NFT for each token with its supply, and replaces {id}', async () => {
    const server = await aServer((path, response) =>
      response.end(JSON.stringify({ name: 'Edition', image: `https://x.example/{id}${path}` })),
    )
    const contract = await chain.anErc1155(`${server.url}/{id}.json`)
    await contract.send('mint', account, 2n ** 70n, 1n, '0x')
    await contract.send('mintBatch', account, [10n, 11n, 12n, 10n], [5n, 7n, 3n, 1n], '0x')
    await contract.send('mint', account, 11n, 1n, '0x')
    await contract.send('burn', account, 10n, 2n)
    await contract.send('burnBatch', account, [12n], [3n])
    const { records, user } = await read(contract, {
      loopbackHosts: [server.host],
      creator: { email: 'cleo@example.com' },
      contractName: 'Editions',
    })
    expect(user).toEqual({ type: 'user', id: 'cleo@example.com', email: 'cleo@example.com' })
    const hex = (digits: string) => digits.padStart(64, '0')
    expect(records.map(({ tokenId, amountType, amount }) => [tokenId, amountType, amount])).toEqual(
      [
        ['10', 'limited', 4],
        ['11', 'limited', 8],
        ['1180591620717411303424', 'unique', 1],
      ],
    )
    expect(records[0]).toMatchObject({
      contractName: 'Editions',
      metadata: { image: `https://x.example/${hex('a')}/${hex('a')}.json` },
    })
    expect(records[2].metadata.image).toBe(
      `https://x.example/${hex('400000000000000000')}/${hex('400000000000000000')}.json`,
    )
  })

  it('lists tokens with more pieces than a record can say', async () => {
    const contract = await chain.anErc1155('data:application/json,{"name":"Coin"}')
    await contract.send('mint', account, 1n, 2n ** 53n - 1n, '0x')
    await contract.send('mint', account, 2n, 2n ** 53n, '0x')
    const { records, problems } = await read(contract, { creator: { wallet: account } })
    expect(records.map(({ amount }) => amount)).toEqual([9007199254740991])
    expect(problems).toEqual([
      {
        id: idOf(contract, 2),
        field: 'amount',
        value: '9007199254740992',
        code: 'amount_too_large',
        message: 'must be from 1 to 9007199254740991',
      },
    ])
  })

  it('reads a document that all tokens share once', async () => {
    const server = await aServer((_, response) => response.end('{"name":"Hidden"}'))
    const contract = await chain.anErc1155(`${server.url}/hidden`)
    const ids = Array.from({ length: 40 }, (_, i) => BigInt(i))
    await contract.send(
      'mintBatch',
      account,
      ids,
      ids.map(() => 2n),
      '0x',
    )
    const { nfts } = await read(contract, {
      loopbackHosts: [server.host],
      creator: { wallet: account },
    })
    expect(nfts).toBe(40)
    expect(server.requests).toEqual(['/hidden'])
  })
})

describe('a token whose metadata cannot be read', () => {
  it('is listed with the reason, and the others are written', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 6n)
    await contract.send('setReverts', 1n)
    await contract.send('setUri', 3n, 'http://169.254.169.254/latest/meta-data')
    await contract.send('setUri', 4n, 'data:application/json,[1]')
    await contract.send('setUri', 6n, `data:,{"a":${'['.repeat(32)}${']'.repeat(32)}}`)
    const { records, problems } = await read(contract)
    expect(names(records)).toEqual(['Token 2', 'Token 5'])
    expect(
      problems.map(({ id, value, code, message }) => [id, value.slice(0, 40), code, message]),
    ).toEqual([
      [idOf(contract, 1), '', 'uri_missing', 'the contract returned no URI for the token'],
      [
        idOf(contract, 3),
        'http://169.254.169.254/latest/meta-data',
        'uri_invalid',
        'must point to a public host',
      ],
      [idOf(contract, 4), 'data:application/json,[1]', 'metadata_invalid', 'must be a JSON object'],
      [
        idOf(contract, 6),
        `data:,{"a":${'['.repeat(29)}`,
        'metadata_invalid',
        'must have at most 32 levels',
      ],
    ])
  })

  it('is listed if the node answers everything but its call', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 120n)
    const token = (77).toString(16).padStart(64, '0')
    const provider = await aProvider(chain.url, ({ params: [call] }) =>
      String(call?.data).endsWith(token) ? { status: 504 } : undefined,
    )
    const { nfts, problems } = await read(contract, { network: chain.network([provider.url]) })
    expect(nfts).toBe(119)
    expect(problems).toMatchObject([{ id: idOf(contract, 77), code: 'uri_missing' }])
  })

  it('is tried again by the next run', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 2n)
    await contract.send('setUri', 2n, 'ftp://example.com/2')
    const file = await aFile()
    expect((await read(contract, { file })).problems).toHaveLength(1)
    await contract.send('setUri', 2n, 'data:application/json,{"name":"Two"}')
    const { records, problems } = await read(contract, { file })
    expect({ names: names(records), problems }).toEqual({ names: ['Token 1', 'Two'], problems: [] })
  })

  it('is listed if its record would be too long', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const filler = 'x'.repeat(10_000)
    const server = await aServer((_, response) =>
      response.end(
        JSON.stringify({ name: 'Long', parts: Array(13).fill(filler), end: 'y'.repeat(900) }),
      ),
    )
    await contract.send('setUri', 1n, server.url)
    const { problems } = await read(contract, { loopbackHosts: [server.host] })
    expect(problems).toMatchObject([{ code: 'metadata_too_large', id: idOf(contract, 1) }])
  })
})

it.each([
  ['{}', 'Plain collection #1'],
  ['{"name":7}', 'Plain collection #1'],
  ['{"name":" \u202e\u200b "}', 'Plain collection #1'],
  ['{"name":"a\\u0000b"}', 'a b'],
  ['{"name":"👩‍🎨"}', '👩‍🎨'],
  [`{"name":"${'n'.repeat(300)}"}`, 'n'.repeat(255)],
])('gives metadata with a name: %s', async (json, name) => {
  const contract = await chain.aCollection()
  await contract.send('mint', 1n, 1n)
  await contract.send('setUri', 1n, `data:application/json,${json}`)
  expect(names((await read(contract)).records)).toEqual([name])
})

describe('prices', () => {
  it('release the NFTs, with a listing of each', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 7n, 1n)
    const prices = { priceCents: 1000, priceEths: '0.005', priceCurrency: 'USD' }
    const { records, nfts, listings } = await read(contract, { prices })
    expect({ nfts, listings }).toEqual({ nfts: 1, listings: 1 })
    expect(records[0]).toMatchObject({ status: 'released', ...prices })
    expect(records[1]).toEqual({
      type: 'listing',
      id: `${idOf(contract, 7)}-sale`,
      nft: idOf(contract, 7),
      seller: creator.address.toLowerCase(),
      ...prices,
    })
  })
})

describe('the creator', () => {
  it('is the owner of the contract by default', async () => {
    const contract = await chain.aCollection()
    expect((await read(contract)).user.ethereumPublicAddr).toBe(creator.address)
  })

  it('must be named if the contract has no owner', async () => {
    const contract = await chain.aCollection()
    await contract.send('renounce')
    await expect(read(contract)).rejects.toThrow('The contract has no owner.')
  })
})

describe('a second run', () => {
  it('reads new blocks only, and writes the same bytes if nothing is new', async () => {
    const server = await aServer()
    const contract = await chain.aCollection(`${server.url}/`, '')
    await contract.send('mint', 1n, 3n)
    const provider = await aProvider(chain.url)
    const options = {
      file: await aFile(),
      network: chain.network([provider.url]),
      loopbackHosts: [server.host],
    }
    const first = await read(contract, options)
    const bytes = readFileSync(options.file, 'utf8')
    await read(contract, options)
    expect(readFileSync(options.file, 'utf8')).toBe(bytes)
    expect(provider.seen.ranges).toHaveLength(1)

    await contract.send('mint', 4n, 1n)
    await contract.send('burn', 1n)
    const { records, block } = await read(contract, options)
    expect(names(records)).toEqual(['Token 2', 'Token 3', 'Token 4'])
    expect(provider.seen.ranges[1]).toEqual({ from: first.block + 1, to: block })
    expect(server.requests.toSorted()).toEqual(['/1', '/2', '/3', '/4'])
  })

  it('reads the events of new blocks of a contract that lists its tokens', async () => {
    const server = await aServer()
    const contract = await chain.anEnumerable(`${server.url}/`)
    await contract.send('mint', creator.address)
    await contract.send('mint', creator.address)
    const options = {
      file: await aFile(),
      loopbackHosts: [server.host],
      creator: { wallet: creator.address },
    }
    await read(contract, options)
    await contract.send('mint', creator.address)
    await contract.send('burn', 0n)
    expect(names((await read(contract, options)).records)).toEqual(['Token 1', 'Token 2'])
  })

  it('may set prices', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const file = await aFile()
    await read(contract, { file })
    const prices = { priceCents: 1, priceEths: '0', priceCurrency: 'EUR' }
    expect((await read(contract, { file, prices })).listings).toBe(1)
  })

  it('keeps what was edited in the file, and adds new tokens', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const file = await aFile()
    await read(contract, { file })
    const [user, nft] = recordsIn(file)
    const own = { type: 'user', id: 'own', email: 'own@example.com' }
    const edited = [
      { ...user, name: 'Mona' },
      { ...nft, status: 'released', priceCents: 700, metadata: { name: 'Old' } },
      { type: 'listing', id: `${nft.id}-sale`, nft: nft.id, seller: user.id, priceCents: 700 },
      own,
    ]
    writeFileSync(file, edited.map((record) => `${JSON.stringify(record)}\n`).join(''))
    await contract.send('mint', 2n, 1n)
    const prices = { priceCents: 1, priceEths: '0', priceCurrency: 'EUR' }
    for (const listings of [2, 2])
      expect((await read(contract, { file, prices })).listings).toBe(listings)
    expect(recordsIn(file)).toEqual([
      edited[0],
      { ...edited[1], metadata: nft.metadata },
      edited[2],
      expect.objectContaining({ type: 'nft', tokenId: '2', status: 'released', priceCents: 1 }),
      expect.objectContaining({ type: 'listing', priceCents: 1 }),
      own,
    ])
  })

  it('names the line of an edited file that it cannot read', async () => {
    const contract = await chain.aCollection()
    const file = await aFile()
    await read(contract, { file })
    writeFileSync(file, 'edited')
    await expect(read(contract, { file })).rejects.toThrow(
      `${file} has a line that is not JSON. Correct it, or name another file.`,
    )
    expect(readFileSync(file, 'utf8')).toBe('edited')
  })

  it('belongs to a creator who is imported already', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const file = await aFile()
    await read(contract, { file, creator: { id: 'mona' } })
    expect(recordsIn(file)).toMatchObject([{ type: 'nft', creator: 'mona' }])
  })

  it('does not mix two collections', async () => {
    const file = await aFile()
    await read(await chain.aCollection(), { file })
    await expect(read(await chain.aCollection(), { file })).rejects.toThrow(
      `${file}.state belongs to another collection.`,
    )
  })

  it('does not mix two histories of a chain', async () => {
    const contract = await chain.aCollection()
    const file = await aFile()
    const snapshot = await chain.client.snapshot()
    await contract.send('mint', 1n, 1n)
    await read(contract, { file })
    await chain.client.revert({ id: snapshot })
    await contract.send('mint', 2n, 1n)
    await expect(read(contract, { file })).rejects.toThrow('is not the one that was read before')
  })

  it('does not start while another one is running', async () => {
    const contract = await chain.aCollection()
    const file = await aFile()
    const first = read(contract, { file })
    await expect(read(contract, { file })).rejects.toThrow(
      'Another command reads this collection already',
    )
    await first
  })
})

describe('what is no collection', () => {
  it.each([['an account', async () => ({ address: creator.address }), 'There is no contract at']])(
    'is refused: %s',
    async (_, contract, sentence) => {
      await expect(read(await contract())).rejects.toThrow(sentence)
    },
  )
})

describe('the node', () => {
  it('must be on the configured chain', async () => {
    const network = { ...chain.network(), chainId: 1 }
    await expect(read(await chain.aCollection(), { network })).rejects.toThrow(
      'A node of test has chain id 31337. Configured is 1.',
    )
  })

  it('must answer, and its URL is not shown', async () => {
    const network = chain.network(['http://127.0.0.1:1/secret-key'])
    const failed = read(await chain.aCollection(), { network })
    await expect(failed).rejects.toThrow('No node of test answers: the node cannot be reached.')
    await expect(failed).rejects.not.toThrow('secret')
  })
})
