/** `npm run import -- --from-chain` with the local database. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { command as importCommand } from '../../../../scripts/operate/import.ts'
import { rules } from '../../../../src/delivery/reasons.ts'
import { call } from '../../../support/call.ts'
import { inLong } from '../../../support/cases.ts'
import { aFolder, aLocalDatabase } from '../../../support/command.ts'
import { aChain, type Chain, type Contract } from './world.ts'

let chain: Chain
let contract: Contract

beforeAll(async () => {
  chain = await aChain()
  contract = await chain.aCollection()
  await contract.send('mint', 0n, 30n)
  const { remove } = await aFolder()
  await aLocalDatabase()
  return async () => {
    await chain.stop()
    await remove()
  }
})

const prices = ['--price-cents', '5000', '--price-eths', '0.02', '--currency', 'EUR']

/** Imports the contract from the node at RPC_PORT. */
const importContract = (...args: string[]) =>
  call(importCommand, ['--from-chain', contract.address, '--network', 'localhost', ...args], {
    RPC_PORT: new URL(chain.url).port,
  })

// The contract of the test has no function that transfers.
it('imports a collection, and changes nothing the second time', async () => {
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
  const bytes = readFileSync(file, 'utf8')
  const { out } = await importContract(...prices)
  expect(out).toContain(`users     0 created, 0 updated, 1 unchanged
NFTs      0 created, 0 updated, 30 unchanged
listings  0 created, 0 updated, 30 unchanged
`)
  expect(readFileSync(file, 'utf8')).toBe(bytes)
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

it.each([
  [['--from-chain', '0x12', '--network', 'localhost'], '--from-chain must be an address'],
  [['--from-chain', `0x${'1'.repeat(40)}`], '--from-chain needs --network.'],
  [['x.jsonl', '--currency', 'EUR'], '--currency needs --from-chain.'],
  [[], 'Name one file.'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(importCommand, args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
})
