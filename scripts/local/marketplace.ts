/** The Worker of the local instance, which can be restarted. */
import type { Address } from 'viem'
import type { Supervisor } from '../shell/supervisor.ts'
import { localNetworks } from './chain/delivery.ts'
import { startWorker } from './worker.ts'

type Settings = { url: string; rpcUrls: readonly string[]; delivery: Address }

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

const toVariables = ({ url, rpcUrls, delivery }: Settings) => ({
  PUBLIC_URL: url,
  LOOPBACK_HOSTS: 'localhost:*,127.0.0.1:*',
  NETWORKS: localNetworks(rpcUrls, delivery, { callsPerSecond: 1000 }),
})
