import { type Address, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractAt, readLineage, sendAs } from '../../../scripts/operate/contract/delivery.ts'
import { confirm } from '../../../scripts/operate/contract/node.ts'
import {
  type Commands,
  contractCommands,
  guardian,
  owner,
  relayer,
  stranger,
} from '../../support/contract.ts'

const RELAYERS = ['--relayer', `${relayer.address},${stranger.address}`]
const LIMIT = ['--capacity', '500', '--per-day', '3000']

let commands: Commands

beforeAll(async () => {
  commands = await contractCommands()
})

afterAll(() => commands.close())

const deployedBy = (out: string): Address =>
  `0x${/^delivery = "0x(\w{40})"$/m.exec(out)?.[1] ?? 'nothing'}`

const deploy = (args: string[] = []) => commands.run('deploy', [...RELAYERS, ...LIMIT, ...args])

const retire = (address: Address) =>
  confirm(commands.node, contractAt(commands.node, address).write.retire(sendAs(owner)))

it('prints the address to configure, also while that is a placeholder', async () => {
  await commands.configure('<address of the Delivery contract>')
  const { out } = await deploy(['--guardian', guardian.address, '--delay', '24'])
  expect(out).toContain(`Deployed a contract of ${owner.address}.`)
  const word = (value: string) => value.toLowerCase().replace('0x', '').padStart(64, '0')
  expect(out).toContain(
    `the arguments of the constructor are 0x${[
      ...[zeroAddress, (24 * 3600).toString(16), guardian.address, '80', '2'],
      ...[relayer, stranger].flatMap(({ address }) => [address, '1f4', 'bb8']),
    ]
      .map(word)
      .join('')}\n`,
  )
  await commands.configure(deployedBy(out))
  expect((await commands.run('pause')).out.split('\n').slice(1)).toEqual([
    `contract     ${deployedBy(out)}`,
    'state        paused',
    `owner        ${owner.address}`,
    `guardian     ${guardian.address}`,
    'delay        24 hours',
    'generation   1 of 5',
    'predecessor  none',
    'relayers',
    `  ${relayer.address}  500 of 500 pieces now, 3000 a day, 10000 ETH`,
    `  ${stranger.address}  500 of 500 pieces now, 3000 a day, 10000 ETH`,
    '',
  ])
})

it('names the next owner, who has to accept', async () => {
  await commands.configure('<address of the Delivery contract>')
  const { out } = await deploy(['--owner', stranger.address])
  expect(out).toContain(
    `It belongs to ${stranger.address} once this account has run accept-ownership.`,
  )
  await commands.configure(deployedBy(out))
  expect((await commands.run('accept-ownership', [], stranger)).out).toContain(
    `owner        ${stranger.address}`,
  )
})

it('replaces the contract of the network once that is retired', async () => {
  const { address: old } = await commands.deploy()
  await commands.configure(old)
  expect((await deploy()).errors).toBe(`The contract at ${old} is not retired. Retire it first.\n`)
  await retire(old)
  const successor = deployedBy((await deploy()).out)
  expect(await readLineage(commands.node, successor)).toEqual([successor, old])
})

it('replaces a contract that is named if the network has none, and no other', async () => {
  const { address: old } = await commands.deploy()
  const { address: current } = await commands.deploy()
  await retire(old)
  await commands.configure(current)
  expect((await deploy(['--predecessor', old])).errors).toBe(
    `localhost has the contract ${current}. A contract that replaces another one would not know which keys that one used.\n`,
  )
  await commands.configure('<address of the Delivery contract>')
  const successor = deployedBy((await deploy(['--predecessor', old])).out)
  expect(await readLineage(commands.node, successor)).toEqual([successor, old])
})

it('refuses the sixth contract of a chain', async () => {
  let { address } = await commands.deploy()
  for (let generation = 2; generation <= 5; generation++) {
    await retire(address)
    await commands.configure(address)
    address = deployedBy((await deploy()).out)
  }
  await retire(address)
  await commands.configure(address)
  const { errors, status } = await deploy()
  expect({ errors, status }).toEqual({
    errors: `The contract at ${address} is the fifth of its chain, and no sixth can be deployed: each one makes deliveries dearer.\n`,
    status: 1,
  })
})

it.each([
  [[], '--relayer must be an address: "".'],
  [['--relayer', relayer.address], '--capacity must be a whole number from 1, not "".'],
  [[...RELAYERS, ...LIMIT, '--delay', '721'], '--delay must be a whole number from 0 to 720'],
  [[...RELAYERS, ...LIMIT, '--print'], 'A deployment cannot be printed.'],
])('deploys nothing with %j', async (args, sentence) => {
  const { errors, status } = await commands.run('deploy', args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
})
