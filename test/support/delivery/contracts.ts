/** More Delivery contracts on a chain, besides its own. */
import { type Address, encodeDeployData, getAddress, zeroAddress } from 'viem'
import artifact from '../../../contracts/Delivery.json' with { type: 'json' }
import { deliveryAbi as abi } from '../../../contracts/delivery-abi.ts'
import type { Chain } from '../chain/chain.ts'

/** Deploys a contract that replaces another one, or none, for the same seller and signer. */
export async function deployContract(
  chain: Chain,
  {
    predecessor = zeroAddress,
    hasRelayer = true,
  }: { predecessor?: Address; hasRelayer?: boolean } = {},
): Promise<Address> {
  const relayer = { relayer: getAddress(chain.signer), capacity: 1000n, perDay: 1000n }
  const data = encodeDeployData({
    abi,
    bytecode: `0x${artifact.bytecode.slice(2)}`,
    args: [predecessor, 0n, zeroAddress, hasRelayer ? [relayer] : []],
  })
  const sent = await chain.rpc('eth_sendTransaction', { from: chain.owner, data, gas: '0x4c4b40' })
  const contract = getAddress(`${(await chain.receiptOf(sent)).contractAddress}`)
  await chain.erc1155AsSeller('setApprovalForAll', contract, true)
  return contract
}
