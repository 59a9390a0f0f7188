import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { localAccount } from '../../../scripts/local/chain/accounts.ts'
import { startAnvil } from '../../../scripts/local/chain/anvil.ts'
import { deployCollectibles } from '../../../scripts/local/chain/collectibles.ts'
import { findMissingApprovals } from '../../../scripts/operate/contract/approvals.ts'
import { createNode } from '../../../scripts/operate/contract/node.ts'

it('finds the holders without approval, also of tokens that cannot be asked', async () => {
  const anvil = await startAnvil({ port: 0 })
  try {
    const [seller, stranger] = [localAccount(2), localAccount(3).address]
    const operator = localAccount(4).address
    const options = { seller, operator, uniques: 0, editions: [] }
    const { erc721, erc1155 } = await deployCollectibles(anvil.url, options)
    const approved = [erc721, erc1155, getAddress(erc721).toLowerCase()].map((token) => ({
      token,
      holder: seller.address,
    }))
    const missing = [
      { token: erc1155, holder: stranger },
      { token: stranger, holder: seller.address },
      { token: operator, holder: seller.address },
      { token: '0x12', holder: seller.address },
    ]
    const node = createNode([anvil.url])
    expect(await findMissingApprovals(node, operator, [...approved, ...missing])).toEqual(missing)
  } finally {
    await anvil.stop()
  }
})

it('does not take a node that fails for a missing approval', async () => {
  const token = localAccount(2).address
  const asked = findMissingApprovals(createNode(['http://127.0.0.1:1']), token, [
    { token, holder: token },
  ])
  await expect(asked).rejects.toThrow('Reading the approvals failed: HTTP request failed.')
})
