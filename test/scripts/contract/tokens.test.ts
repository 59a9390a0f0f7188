import { type Abi, type Address, zeroAddress } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deployCollectibles, MINTER_ROLE } from '../../../scripts/chain/collectibles.ts'
import { type Contract, sendAs } from '../../../scripts/contract/delivery.ts'
import { confirm } from '../../../scripts/contract/node.ts'
import { describeTokens, findMintProblems } from '../../../scripts/contract/tokens.ts'
import { compileFixtures } from '../../support/chain/fixtures.ts'
import {
  type Commands,
  contractCommands,
  deployToken,
  ownedAbi,
  owner,
  stranger,
} from '../../support/contract.ts'

let commands: Commands
let fixtures: ReturnType<typeof compileFixtures>
let delivery: Contract

beforeAll(async () => {
  fixtures = compileFixtures()
  commands = await contractCommands()
})

afterAll(() => commands.close())

beforeEach(async () => {
  delivery = await commands.deploy()
})

const write = (address: Address, functionName: 'grantRole' | 'transferOwnership', args: string[]) =>
  confirm(
    commands.node,
    commands.node.writeContract({
      address,
      abi: ownedAbi as Abi,
      functionName,
      args,
      ...sendAs(owner),
    }),
  )

const setLimit = (token: Address) =>
  confirm(commands.node, delivery.write.setTokenLimit([token, 5n, 50n], sendAs(owner)))

const anEdition = async (operator: Address = zeroAddress) => {
  const options = { seller: owner, operator, uniques: 1, editions: [] }
  return deployCollectibles(commands.rpcUrl, options)
}

const problemOf = async (token: string, tokenId: string | null = '7') => {
  const mint = { token, tokenId, fulfilment: 'mint' } as const
  const [found] = await findMintProblems(commands.node, delivery, [mint])
  return found?.problem
}

describe('the problem of a mint', () => {
  it('is a missing limit, then a missing role, then nothing (ERC-1155)', async () => {
    const { erc1155 } = await anEdition(stranger.address)
    expect(await problemOf(erc1155)).toBe('it has no limit')
    await setLimit(erc1155)
    expect(await problemOf(erc1155)).toBe(
      'the token refuses it (ERC1155PresetMinterPauser: must have minter role to mint)',
    )
    await write(erc1155, 'grantRole', [MINTER_ROLE, delivery.address])
    expect(await problemOf(erc1155)).toBe(undefined)
  })

  it('is a missing role (ERC-721)', async () => {
    const token = await deployToken(commands.node, fixtures.MintableUnique)
    await setLimit(token)
    expect(await problemOf(token)).toBe(
      `the token refuses it (AccessControl: account ${delivery.address.toLowerCase()} is missing role ${MINTER_ROLE})`,
    )
    await write(token, 'grantRole', [MINTER_ROLE, delivery.address])
    expect(await problemOf(token)).toBe(undefined)
  })

  it('is a missing ownership (ERC-721)', async () => {
    const token = await deployToken(commands.node, fixtures.OwnedUnique)
    await setLimit(token)
    expect(await problemOf(token)).toBe('the token refuses it (Ownable: caller is not the owner)')
    await write(token, 'transferOwnership', [delivery.address])
    expect(await problemOf(token)).toBe(undefined)
  })

  it('is another function than the supported ones', async () => {
    const { erc721 } = await anEdition()
    await setLimit(erc721)
    expect(await problemOf(erc721)).toBe('the token refuses it (execution reverted)')
  })

  it('is what the catalogue has wrong', async () => {
    expect(await problemOf('0x12')).toBe('address or token id is invalid')
    expect(await problemOf(stranger.address, null)).toBe('address or token id is invalid')
    expect(await problemOf(stranger.address)).toBe('there is no contract')
  })
})

it('lists the limits of the tokens for sale, and what cannot be minted', async () => {
  const { erc721, erc1155 } = await anEdition()
  await setLimit(erc1155)
  const lines = await describeTokens(commands.node, delivery, [
    { token: erc721, tokenId: '0', fulfilment: 'transfer' },
    { token: erc1155, tokenId: '3', fulfilment: 'mint' },
    { token: erc1155, tokenId: '2', fulfilment: 'transfer' },
    { token: '0x12', tokenId: '2', fulfilment: 'transfer' },
  ])
  expect(lines).toEqual([
    'tokens       3 for sale',
    `  ${erc721}  no limit`,
    `  ${erc1155}  5 of 5 pieces now, 50 a day`,
    '  0x12  not an address',
    'mints        1 of 1 not possible',
    `  ${erc1155} cannot be minted: the token refuses it (ERC1155PresetMinterPauser: must have minter role to mint)`,
  ])
})
