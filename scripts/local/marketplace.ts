/** The Worker of the local instance, which can be restarted. */
import type { Address } from 'viem'
import type { Supervisor } from '../shell/supervisor.ts'
import { LOCAL_CHAIN_ID } from './chain/collectibles.ts'
import { startWorker } from './worker.ts'

type Settings = { url: string; rpcUrl: string; delivery: Address }

export async function startMarketplace(supervisor: Supervisor, settings: Settings) {
  const start = () => {
    const worker = startWorker(toVariables(settings))
    supervisor.add('The Worker', worker, worker.errors)
    return worker
  }
  let worker = start()
  return {
    /** Where the Worker listens. */
    url: await worker.ready,
    /** Stops the Worker, and starts it again after `between`. Returns its new URL. */
    restart: async (between: () => Promise<void>) => {
      await supervisor.stop(worker)
      await between()
      worker = start()
      const url = await worker.ready
      worker.showLog()
      return url
    },
    /** Prints the Worker's log from now on. */
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
