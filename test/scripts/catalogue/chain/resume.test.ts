/** A collection of 10,000 tokens, read through a provider that limits ranges, also when killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CollectionOptions, readCollection } from '../../../../scripts/catalogue/chain/read.ts'
import { aMigratedProject, type Project } from '../../../support/project.ts'
import { aChain, aFile, aProvider, aServer, type Chain, type Rule, recordsIn } from './world.ts'

/** Blocks, and results. */
const LIMITS = { blocks: 200, logs: 1_000 }
/** Downloads at a time. */
const PARALLEL = 10

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'

const RUN = 'test/scripts/catalogue/chain/run.ts'

let chain: Chain

beforeAll(async () => {
  chain = await aChain()
})
afterAll(() => chain.stop())

/** Deploys a contract with this many tokens, minted in 40 of 1,040 blocks. */
async function aContract(tokens: number) {
  const contract = await chain.aCollection(`ipfs://${CID}/`, '.json')
  const first = Number(await chain.client.getBlockNumber())
  for (let i = 0; i < 40; i++) {
    await contract.send('mint', BigInt((i * tokens) / 40), BigInt(tokens / 40))
    await chain.mine(25)
  }
  return { ...contract, tokens, first, last: Number(await chain.client.getBlockNumber()) }
}

type Minted = Awaited<ReturnType<typeof aContract>>

const limited: Rule = (_, blocks, logs) => {
  if (blocks > LIMITS.blocks)
    return { error: { code: -32602, message: `range exceeds limit of ${LIMITS.blocks}` } }
  if (logs > LIMITS.logs)
    return { error: { code: -32005, message: `query returned more than ${LIMITS.logs} results` } }
}

const aMetadataServer = (onRequest: (count: number) => unknown = () => {}) => {
  let count = 0
  return aServer((path, response) => {
    onRequest(++count)
    const id = /(\d+)\.json$/.exec(path)?.[1]
    const attributes = [{ trait_type: 'Background', value: `Shade ${Number(id) % 16}` }]
    response.end(JSON.stringify({ name: `Ape #${id}`, image: `ipfs://x/${id}.png`, attributes }))
  })
}

const optionsOf = (
  { address }: Minted,
  file: string,
  provider: string,
  gateway: string,
): CollectionOptions => ({
  network: chain.network([provider]),
  address,
  file,
  gateways: { ipfs: gateway },
})

function expectComplete(file: string, { tokens }: Minted) {
  const [, ...nfts] = recordsIn(file)
  expect(nfts.length).toBe(tokens)
  expect(
    nfts.every(({ tokenId, metadata }, i) => tokenId === `${i}` && metadata.name === `Ape #${i}`),
  ).toBe(true)
}

describe('npm run import -- --from-chain', () => {
  let project: Project
  beforeAll(async () => {
    project = await aMigratedProject()
  })
  afterAll(() => project.remove())

  it('imports 10,000 tokens, changes nothing the second time, and exports them again', async () => {
    const contract = await aContract(10_000)
    await contract.send('setTotalSupply', 10_000n)
    const last = Number(await chain.client.getBlockNumber())
    const provider = await aProvider(chain.url, limited)
    const server = await aMetadataServer()
    const toml = join(project.folder, 'wrangler.toml')
    await writeFile(
      toml,
      (await readFile(toml, 'utf8')).replace('http://127.0.0.1:8545', provider.url),
    )
    const file = join(project.folder, 'apes.jsonl')
    const args = ['apes.jsonl', '--from-chain', contract.address, '--network', 'localhost']
    const prices = ['--price-cents', '5000', '--price-eths', '0.02', '--currency', 'EUR']
    const read = () =>
      project.run('import', [...args, ...prices, '--ipfs-gateway', server.url], {
        METADATA_LOOPBACK_HOSTS: new URL(server.url).host,
      })

    expect(await read()).toEqual({
      out: `Read 10000 NFTs, as of block ${last}, into apes.jsonl.
users     1 created, 0 updated, 0 unchanged
NFTs      10000 created, 0 updated, 0 unchanged
listings  10000 created, 0 updated, 0 unchanged
`,
      errors: '',
      status: 0,
    })
    expect(provider.seen.ranges[0]?.from).toBe(contract.first)
    expect(provider.seen.ranges.at(-1)?.to).toBe(last)
    const records = recordsIn(file).filter(({ type }) => type === 'nft')
    expect(records.map(({ tokenId, metadata }) => [tokenId, metadata.name])).toEqual(
      Array.from({ length: 10_000 }, (_, i) => [`${i}`, `Ape #${i}`]),
    )

    const ranges = provider.seen.ranges.length
    const unchanged = `users     0 created, 0 updated, 1 unchanged
NFTs      0 created, 0 updated, 10000 unchanged
listings  0 created, 0 updated, 10000 unchanged
`
    const again = await read()
    expect(again.out).toContain(unchanged)
    expect(provider.seen.ranges.length).toBe(ranges)
    // A contract does not know what was set since.
    const drafts = await project.run(
      'import',
      ['new.jsonl', ...args.slice(1), '--ipfs-gateway', server.url],
      { METADATA_LOOPBACK_HOSTS: new URL(server.url).host },
    )
    expect(drafts.errors).toMatch(
      /^new\.jsonl would change 10000 records that the marketplace has/m,
    )
    await project.run('export', ['exported.jsonl'])
    expect((await project.run('import', ['exported.jsonl'])).out).toBe(unchanged)
  })
})

/** Starts a run in a process of its own. */
function start(options: CollectionOptions) {
  const child = spawn(process.execPath, [RUN, JSON.stringify(options)], { stdio: 'inherit' })
  return { kill: () => child.kill('SIGKILL'), ended: once(child, 'exit') }
}

it('continues at the range that was not stored when it was killed', async () => {
  const contract = await aContract(2_000)
  const server = await aMetadataServer()
  const file = await aFile()
  const provider = await aProvider(chain.url, (call, blocks, logs) => {
    const refusal = limited(call, blocks, logs)
    // The answer with this range does not reach it any more.
    if (call.method === 'eth_getLogs' && !refusal && provider.seen.ranges.length === 5) run.kill()
    return refusal
  })
  const run = start(optionsOf(contract, file, provider.url, server.url))
  expect(await run.ended).toEqual([null, 'SIGKILL'])
  const [unanswered] = provider.seen.ranges.splice(5)

  await readCollection(optionsOf(contract, file, provider.url, server.url))
  expectComplete(file, contract)
  const { ranges } = provider.seen
  expect(ranges[5]?.from).toBe(unanswered?.from)
  for (const [i, { from }] of ranges.entries())
    expect(from).toBe(i === 0 ? contract.first : (ranges[i - 1]?.to ?? 0) + 1)
})

it('downloads no metadata again that was stored when it was killed', async () => {
  const contract = await aContract(2_000)
  const file = await aFile()
  const server = await aMetadataServer((count) => count === 700 && run.kill())
  const provider = await aProvider(chain.url, limited)
  const run = start(optionsOf(contract, file, provider.url, server.url))
  await run.ended
  expect(server.requests.length).toBeGreaterThanOrEqual(700)
  expect(server.requests.length).toBeLessThanOrEqual(700 + PARALLEL)
  const ranges = provider.seen.ranges.length

  await readCollection(optionsOf(contract, file, provider.url, server.url))
  expectComplete(file, contract)
  expect(provider.seen.ranges.length).toBe(ranges)
  const repeated = server.requests.length - contract.tokens
  expect(repeated).toBeGreaterThanOrEqual(1)
  expect(repeated).toBeLessThanOrEqual(PARALLEL)
})
