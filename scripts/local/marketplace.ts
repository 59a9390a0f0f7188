/** The Worker of the local instance, which can be restarted. */
import type { Address } from 'viem'
import type { Supervisor } from '../shell/supervisor.ts'
import { LOCAL_CHAIN_ID } from './chain/collectibles.ts'
import { startWorker } from './worker.ts'

type Settings = { url: string; rpcUrl: string; delivery: Address }

export type Marketplace = {
  /** Where the Worker listens. */
  url: string
  /** Stops the Worker, and starts it again after `between`. Returns its new URL. */
  restart: (between: () => Promise<void>) => Promise<string>
  /** Prints the Worker's log from now on. */
  showLog: () => void
}

export async function startMarketplace(
  supervisor: Supervisor,
  settings: Settings,
): Promise<Marketplace> {
  const start = () => {
    const worker = startWorker(toVariables(settings))
    supervisor.add('The Worker', worker, worker.errors)
    return worker
  }
  let worker = start()
  return {
    url: await worker.ready,
    restart: async (between) => {
      await supervisor.stop(worker)
      await between()
      worker = start()
      const url = await worker.ready
      worker.showLog()
      return url
    },
    showLog: () => worker.showLog(),
  }
}

function toVariables({ url, rpcUrl, delivery }: Settings): Record<string, string> {
  const network = {
    chainId: LOCAL_CHAIN_ID,
    rpcUrls: [rpcUrl],
    delivery,
    finality: 1,
    callsPerSecond: 1000,
    maxFeePerGasGwei: 500,
    maxPriorityFeePerGasGwei: 50,
  }
  return {
    PUBLIC_URL: url,
    LOOPBACK_HOSTS: 'localhost:*,127.0.0.1:*',
    NETWORKS: JSON.stringify({ localhost: network }),
  }
}
