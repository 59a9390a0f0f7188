import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeObstacles } from '../../../scripts/operate/catalogue/obstacles.ts'
import { rules } from '../../../src/delivery/reasons.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../../catalogue/records.ts'
import type { Contracts } from '../../support/chain/compiled.ts'
import { compileFixtures } from '../../support/chain/fixtures.ts'
import { type Commands, contractCommands, deployToken, owner } from '../../support/contract.ts'

let commands: Commands
let fixtures: Contracts

beforeAll(async () => {
  // Before the folder changes.
  fixtures = await compileFixtures()
  commands = await contractCommands()
  const { address } = await commands.deploy()
  await commands.configure(address)
})
afterAll(() => commands.close())

it('names what of a file cannot be delivered, two NFTs of each contract and seller', async () => {
  const { QuantityToken, SilentToken } = fixtures
  const minted = await deployToken(commands.node, QuantityToken)
  const silent = await deployToken(commands.node, SilentToken)
  const nft = (id: string, tokenId: number, values: object) =>
    anNftRecord(id, tokenId, { network: 'localhost', ...values })
  const records = [
    aUserRecord('wallet', { email: undefined, ethereumPublicAddr: owner.address }),
    aUserRecord('mail'),
    nft('a', 3, { contract: minted, fulfilment: 'mint' }),
    nft('b', 0, { contract: silent }),
    nft('c', 10, { contract: silent }),
    nft('d', 9, { contract: silent }),
    nft('e', 11, { contract: silent, recipients: 'verified' }),
    ...['a', 'b', 'c', 'd', 'e'].map((id) =>
      aListingRecord(`${id}-wallet`, id, { seller: 'wallet' }),
    ),
    // Nothing is known of the wallet of this seller.
    aListingRecord('b-mail', 'b', { seller: 'mail' }),
  ]
  await writeFile('file.jsonl', linesOf(records))
  expect(await describeObstacles('file.jsonl')).toEqual([
    expect.stringMatching(/^These NFTs, and others of the same contract and seller, cannot /),
    `  localhost ${minted} 3: ${rules.mint_not_exact.sentence} (mint_not_exact)`,
    `  localhost ${silent} 0: ${rules.token_not_supported.sentence} (token_not_supported)`,
    `  localhost ${silent} 10: ${rules.token_not_supported.sentence} (token_not_supported)`,
  ])
})

it('names nothing while the node does not answer', async () => {
  await commands.configure(owner.address, 'http://127.0.0.1:1')
  expect(await describeObstacles('file.jsonl')).toEqual([])
})
