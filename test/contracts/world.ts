/** The Delivery contract with relayers, holders, tokens of OpenZeppelin's, and hostile contracts. */
import erc721 from '@openzeppelin/contracts/build/contracts/ERC721PresetMinterPauserAutoId.json' with {
  type: 'json',
}
import erc1155 from '@openzeppelin/contracts/build/contracts/ERC1155PresetMinterPauser.json' with {
  type: 'json',
}
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  getAddress,
  getContract,
  isHex,
  keccak256,
  type Log,
  parseAbi,
  parseEventLogs,
  toHex,
  zeroAddress,
} from 'viem'
import artifact from '../../contracts/Delivery.json' with { type: 'json' }
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import type { CompiledContract } from '../../contracts/solidity.ts'
import { guardian, holder, otherHolder, otherRelayer, owner, relayer } from './accounts.ts'
import { aChain, as, MAX_GAS } from './chain.ts'
import { ANSWERS, type Answer, compileFixtures, hookAbi, tokenAbi } from './fixtures.ts'
import { aKey, aWallet, type DeliverOptions, deliverArguments, type Item } from './items.ts'

export type SimulateOptions = DeliverOptions & { gasPrice?: bigint }

/** By number, as in `enum Outcome` of the contract. */
const OUTCOMES = ['notReached', 'delivered', 'skipped', 'failed', 'cancelled'] as const

const erc721Constructor = parseAbi(['constructor(string name, string symbol, string uri)'])
const erc1155Constructor = parseAbi(['constructor(string uri)'])

export type World = Awaited<ReturnType<typeof aWorld>>
export type Delivery = ReturnType<World['deliveryAt']>

export type WorldOptions = {
  /** How many ERC-721 tokens each holder has. Their ids alternate between the two holders. */
  uniques?: number
}

/** Seconds after which a raise takes effect. */
export const DELAY = 7_200n

/** The limit of the relayers that a contract is deployed with. No test reaches it by accident. */
export const AMPLE = 1_000_000_000n

/** The role that OpenZeppelin's presets and wizard need for a mint. */
const MINTER_ROLE = keccak256(toHex('MINTER_ROLE'))

/** A relayer of a new contract, with its limit in pieces. */
export type RelayerLimit = { relayer: Address; capacity: bigint; perDay: bigint }

export type DeliveryArguments = {
  predecessor?: Address
  delay?: bigint
  relayers?: readonly RelayerLimit[]
}

export const aRelayer = (account: Address, capacity = AMPLE, perDay = AMPLE): RelayerLimit => ({
  relayer: account,
  capacity,
  perDay,
})

export async function aWorld({ uniques = 20 }: WorldOptions = {}) {
  const chain = await aChain()
  const { client, mined } = chain
  const fixtures = compileFixtures()

  async function deploy(abi: Abi, bytecode: string, args: unknown[] = []): Promise<Address> {
    if (!isHex(bytecode)) throw new Error('the artifact has no bytecode')
    const sent = client.deployContract({ abi, bytecode, args, account: owner, gas: MAX_GAS })
    const { contractAddress } = await mined(sent)
    if (!contractAddress) throw new Error('the contract has no address')
    return getAddress(contractAddress)
  }

  function fixtureOf(name: string): CompiledContract {
    const fixture = fixtures[name]
    if (!fixture) throw new Error(`no fixture ${name}`)
    return fixture
  }

  const deployFixture = (name: string, args: unknown[] = []): Promise<Address> =>
    deploy(fixtureOf(name).abi, fixtureOf(name).bytecode, args)

  const hook = (address: Address) => getContract({ address, abi: hookAbi, client })
  const token = (address: Address) => getContract({ address, abi: tokenAbi, client })

  async function aHook(name: string, answer: Answer) {
    const contract = hook(await deployFixture(name))
    await mined(contract.write.setAnswer([ANSWERS.indexOf(answer)], as(owner)))
    return contract
  }

  function deliveryAt(address: Address) {
    const contract = getContract({ address, abi: deliveryAbi, client })
    return {
      address,
      read: contract.read,
      write: contract.write,
      /** Adds a relayer or changes its limit, and waits until that has taken effect. */
      async setRelayer(account: Address, capacity: bigint, perDay = 0n) {
        await mined(contract.write.setRelayer([account, capacity, perDay], as(owner)))
        await wait(await contract.read.delay())
      },
      /** Delivers and gives the receipt with what the call returned. Throws the error's name. */
      async deliver(items: readonly Item[], options: DeliverOptions = {}) {
        const { by = relayer, gas = MAX_GAS } = options
        const args = deliverArguments(items, options)
        const receipt = await mined(contract.write.deliver(args, { account: by, gas }))
        const data = await chain.outputOf(receipt.transactionHash)
        const results = decodeFunctionResult({ abi: deliveryAbi, functionName: 'deliver', data })
        return {
          ...receipt,
          results: results.map(({ outcome, ...rest }) => ({ ...rest, outcome: OUTCOMES[outcome] })),
          outcomes: results.map(({ outcome }) => OUTCOMES[outcome]),
          transfers: transfersIn(receipt.logs),
        }
      },
      /** The outcomes of a call that changes nothing. */
      async simulate(
        items: readonly Item[],
        { by = relayer, gas = MAX_GAS, gasPrice = 0n, ...options }: SimulateOptions = {},
      ) {
        const args = deliverArguments(items, options)
        const { result } = await contract.simulate.deliver(args, { account: by, gas, gasPrice })
        return result.map(({ outcome }) => OUTCOMES[outcome])
      },
      /** The events about keys, in order, such as `{ eventName: 'Delivered', key }`. */
      eventsIn: ({ logs }: { logs: Log[] }) =>
        parseEventLogs({
          abi: deliveryAbi,
          eventName: ['Delivered', 'DeliveryFailed', 'Cancelled'],
          logs: logs.filter((log) => getAddress(log.address) === address),
        }).map(({ eventName, args }) => ({ eventName, ...args })),
    }
  }

  /** Mines a block that many seconds after the newest one. */
  async function wait(seconds: bigint) {
    await client.setNextBlockTimestamp({ timestamp: (await chain.time()) + seconds })
    await client.mine({ blocks: 1 })
  }

  const deployDelivery = async ({
    predecessor = zeroAddress,
    delay = DELAY,
    relayers = [relayer, otherRelayer].map((account) => aRelayer(account)),
  }: DeliveryArguments = {}) =>
    deliveryAt(
      await deploy(deliveryAbi, artifact.bytecode, [predecessor, delay, guardian, relayers]),
    )

  const unique = await deploy(erc721Constructor, erc721.bytecode, ['Unique', 'U', ''])
  const edition = await deploy(erc1155Constructor, erc1155.bytecode, [''])
  const delivery = await deployDelivery()

  for (let i = 0; i < uniques; i++)
    for (const to of [holder, otherHolder]) await mined(token(unique).write.mint([to], as(owner)))
  for (const to of [holder, otherHolder])
    await mined(token(edition).write.mint([to, 1n, 1_000_000n, '0x'], as(owner)))

  async function approve(operator: Address, approved = true, account: Address = holder) {
    for (const address of [unique, edition])
      await mined(token(address).write.setApprovalForAll([operator, approved], as(account)))
  }
  await approve(delivery.address)

  /** Tokens that log what happens: ERC-721 and ERC-1155. */
  const honest = { uniques: [unique], editions: [edition] }

  /** The tokens that honest contracts say were moved or minted. */
  const transfersIn = (logs: Log[]) =>
    parseEventLogs({ abi: tokenAbi, logs }).flatMap((log) => {
      const address = getAddress(log.address)
      const { from, to } = log.args
      if (log.eventName === 'Transfer')
        return honest.uniques.includes(address)
          ? { token: address, from, to, tokenId: log.args.tokenId, amount: 0n }
          : []
      const { id: tokenId, value: amount } = log.args
      return honest.editions.includes(address) ? { token: address, from, to, tokenId, amount } : []
    })

  /** An ERC-721 token contract of the fixtures. Nobody may mint yet. */
  async function aMintable(name: 'MintableUnique' | 'OwnedUnique') {
    const address = await deployFixture(name)
    honest.uniques.push(address)
    return token(address)
  }

  const allowToMint = (token: Address, minter: Address) =>
    mined(
      client.writeContract({
        address: token,
        abi: tokenAbi,
        functionName: 'grantRole',
        args: [MINTER_ROLE, minter],
        ...as(owner),
      }),
    )

  let nextUnique = 0
  return {
    ...chain,
    unique: token(unique),
    edition: token(edition),
    delivery,
    deliveryAt,
    deployDelivery,
    wait,
    deployFixture,
    aMintable,
    /** Allows a contract to mint a token with roles. */
    allowToMint,
    /** The runtime code of a fixture. */
    codeOf: (name: string) => fixtureOf(name).deployedBytecode,
    /** A wallet with code. */
    aRecipient: (answer: Answer = 'accepts') => aHook('Recipient', answer),
    aMaliciousToken: (answer: Answer = 'accepts') => aHook('MaliciousToken', answer),
    approve,
    transfersIn,
    /** An ERC-721 token that the holder still has, for a new wallet under a new key. */
    aUnique: (item: Partial<Item> = {}): Item => ({
      key: aKey(),
      token: unique,
      from: holder,
      to: aWallet(),
      tokenId: BigInt(2 * (nextUnique++ % uniques)),
      amount: 0n,
      ...item,
    }),
    /** One piece of the ERC-1155 token for a new wallet under a new key. */
    anEdition: (item: Partial<Item> = {}): Item => ({
      key: aKey(),
      token: edition,
      from: holder,
      to: aWallet(),
      tokenId: 1n,
      amount: 1n,
      ...item,
    }),
  }
}
