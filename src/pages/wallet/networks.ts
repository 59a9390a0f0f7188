/** What the scripts of wallets know of the networks. */
import type { Network, Settings } from '../../env.ts'

export type WalletNetwork = {
  chainId: number
  /** The name to show. */
  name: string
  /** The parameter of `wallet_addEthereumChain` (EIP-3085); null if it is not configured. */
  addition: {
    chainId: string
    chainName: string
    rpcUrls: [string]
    nativeCurrency: NonNullable<Network['nativeCurrency']>
    blockExplorerUrls?: [string]
  } | null
}

/** Returns the networks for pages. The nodes of `rpcUrls` are left out: their URLs may hold keys. */
export const walletNetworks = ({ NETWORKS }: Pick<Settings, 'NETWORKS'>): WalletNetwork[] =>
  Object.entries(NETWORKS).map(walletNetwork)

/** Returns a network for pages, by its name in the configuration. */
export const walletNetwork = ([key, network]: [string, Network]): WalletNetwork => ({
  chainId: network.chainId,
  name: network.name ?? key,
  addition: addChainParameters(network),
})

function addChainParameters({
  chainId,
  name,
  walletRpcUrl,
  nativeCurrency,
  explorerUrl,
}: Network): WalletNetwork['addition'] {
  if (!name || !walletRpcUrl || !nativeCurrency) return null
  return {
    chainId: `0x${chainId.toString(16)}`,
    chainName: name,
    rpcUrls: [walletRpcUrl],
    nativeCurrency,
    ...(explorerUrl && { blockExplorerUrls: [explorerUrl] }),
  }
}
