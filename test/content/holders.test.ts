import { expect, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { answerOf, callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { networksOf } from '../support/delivery/engine.ts'
import { aContentFile, anNft, aToken, aUser, db } from '../support/makers.ts'

/** An NFT on a chain whose content is for who holds its token, and a call of a user with a wallet. */
async function anNftOf(chain: Chain, standard: 'erc721' | 'erc1155', tokenId: string) {
  const nft = await anNft(await aUser(), {
    ...{ contractNetwork: chain.name, contractAddr: chain.contracts[standard], tokenId },
    ...{ contentRelease: 'holder', secretPhrase: 'open sesame' },
  })
  await aContentFile(nft)
  return async (wallet: string, { rpcUrls = [chain.proxyUrl], walletChainId = 0 } = {}) => {
    // The accounts of the chain have the same address in each test.
    await db.update(users).set({ ethereumPublicAddr: '', walletChainId: 0 })
    const identityHash = crypto.randomUUID()
    const user = await aUser({ ethereumPublicAddr: wallet, walletChainId, identityHash })
    const [network] = Object.values(networksOf([chain]))
    const NETWORKS = { [chain.name]: { ...network, rpcUrls } } as never
    const token = await aToken(user)
    return answerOf<{ phrase?: string; code?: string; files?: object[] }>(
      callWith({ NETWORKS }, 'GET', `/api/public/nfts/${nft.id}/content`, { token }),
    )
  }
}

const shown = { status: 200, phrase: 'open sesame', files: [{ name: 'track.mp3' }] }
const NOBODY = '0x1111111111111111111111111111111111111111'

for (const [standard, tokenId] of [
  ['erc721', '0'],
  ['erc1155', '1'],
] as const)
  it(`gives the content to who holds the token now, and follows it: ${standard}`, async () => {
    const chain = await aChain({ [standard]: 1 })
    const read = await anNftOf(chain, standard, tokenId)
    const { seller, otherSigner } = chain
    expect(await read(seller)).toMatchObject(shown)
    expect(await read(NOBODY)).toMatchObject({ status: 403, code: 'forbidden' })
    const token = [seller, otherSigner, BigInt(tokenId)] as const
    if (standard === 'erc721') await chain.erc721AsSeller('safeTransferFrom', ...token)
    else await chain.erc1155AsSeller('safeTransferFrom', ...token, 1n, '0x')
    expect(await read(otherSigner)).toMatchObject(shown)
    expect(await read(chain.owner)).toMatchObject({ status: 403 })
  })

it('gives nothing if one of the nodes does not answer, or says something else', async () => {
  const chain = await aChain({ erc721: 1 })
  const read = await anNftOf(chain, 'erc721', '0')
  const other = await aChain({ erc721: 0 })
  const silent = 'http://127.0.0.1:9'
  expect(await read(chain.seller, { rpcUrls: [chain.proxyUrl, silent] })).toMatchObject({
    status: 503,
    code: 'try_later',
  })
  expect(await read(chain.signer, { rpcUrls: [chain.proxyUrl, silent] })).toMatchObject({
    status: 403,
  })
  // The other chain has no such token.
  expect(
    await read(chain.otherSigner, { rpcUrls: [chain.proxyUrl, other.proxyUrl] }),
  ).toMatchObject({ status: 403 })
})

it('gives nothing to a contract wallet that was proved on another chain, nor to a guest', async () => {
  const chain = await aChain({ erc721: 1 })
  const read = await anNftOf(chain, 'erc721', '0')
  expect(await read(chain.seller, { walletChainId: 1 })).toMatchObject({ status: 403 })
  expect(await read('')).toMatchObject({ status: 403 })
})
