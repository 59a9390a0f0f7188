import { afterAll, beforeAll, expect, it } from 'vitest'
import { deployCollectibles } from '../../../scripts/local/chain/collectibles.ts'
import { sendAs } from '../../../scripts/operate/contract/delivery.ts'
import { confirm } from '../../../scripts/operate/contract/node.ts'
import {
  aKey,
  type Commands,
  contractCommands,
  owner,
  relayer,
  stranger,
} from '../../support/contract.ts'

const TOKEN_ID = 7n

let commands: Commands

beforeAll(async () => {
  commands = await contractCommands()
})

afterAll(() => commands.close())

/** What a thief with the key of the relayer has taken at once, after an hour and after a day. */
async function steal(tokenLimit?: readonly [bigint, bigint]): Promise<bigint[]> {
  const { node, wait, deploy } = commands
  const delivery = await deploy({
    relayers: [{ relayer: relayer.address, capacity: 500n, perDay: 3000n }],
    delay: 24n * 3600n,
  })
  const { erc1155: token } = await deployCollectibles(commands.rpcUrl, {
    ...{ seller: owner, operator: delivery.address, uniques: 0 },
    editions: [{ id: TOKEN_ID, amount: 1_000_000n }],
  })
  if (tokenLimit)
    await confirm(node, delivery.write.setTokenLimit([token, ...tokenLimit], sendAs(owner)))
  let taken = 0n
  const takeAll = async () => {
    let { available: amount } = await delivery.read.relayerLimit([relayer.address])
    const { isSet, available } = await delivery.read.tokenLimit([token])
    if (isSet && available < amount) amount = available
    // One piece more than there is.
    const attempts = [amount, 1n].map((pieces) => ({
      ...{ key: aKey(), token, from: owner.address, to: stranger.address },
      ...{ tokenId: TOKEN_ID, amount: pieces },
    }))
    const { logs } = await commands.deliver(delivery.address, attempts)
    const events = await node.getContractEvents({
      ...{ address: delivery.address, abi: delivery.abi, eventName: 'Delivered', strict: true },
      ...{ fromBlock: logs[0]?.blockNumber, toBlock: logs[0]?.blockNumber },
    })
    for (const { args } of events) taken += args.amount
    return taken
  }
  const { timestamp: start } = await node.getBlock()
  const takeAfter = async (minutes: number) => {
    const { timestamp } = await node.getBlock()
    await wait(Number(start - timestamp) + minutes * 60)
    return takeAll()
  }
  const atOnce = await takeAll()
  for (let minutes = 10; minutes < 60; minutes += 10) await takeAfter(minutes)
  const inAnHour = await takeAfter(60)
  for (let hour = 2; hour <= 24; hour++) await takeAfter(hour * 60)
  return [atOnce, inAnHour, taken]
}

it('bounds what a thief takes with the recommended limit of a relayer', async () => {
  expect(await steal()).toEqual([500n, 625n, 3500n])
})

it('bounds what a thief takes of a token that has a limit, too', async () => {
  expect(await steal([50n, 200n])).toEqual([50n, 58n, 250n])
})
