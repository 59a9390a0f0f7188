/** What each call of the control API does. */
import { createPublicClient, http } from 'viem'
import * as z from 'zod'
import { ApiError } from '../../src/http/errors.ts'
import { advance, visitChains } from './advance.ts'
import { reorganize } from './chain/anvil.ts'
import type { Clock } from './clock.ts'
import { type Controls, call } from './control.ts'
import { copyDatabase, hasCopy, putBackDatabase } from './copies.ts'
import { DURATION, parseDuration } from './duration.ts'
import { freeLeases } from './explorer.ts'
import type { Target } from './target.ts'
import { runCron } from './worker.ts'

type Parts = {
  clock: Clock
  rpcUrl: string
  target: Target
  /** Stops the Worker, and starts it again after `between`. Returns its new URL. */
  restart: (between: () => Promise<void>) => Promise<string>
}

const duration = z.string(DURATION).transform(parseDuration).pipe(z.number(DURATION))
const count = z.int('must be a whole number').min(1, 'must be at least 1')
const nothing = z.strictObject({})

export async function createControls(parts: Parts): Promise<Controls> {
  const { clock, rpcUrl, target, restart } = parts
  const chain = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const readHead = async () => Number(await chain.getBlockNumber())
  // No reorganization may remove the contracts of the demo.
  const firstBlock = await readHead()
  const instance = () => ({ clock, rpcUrl, workerUrl: target.url() ?? '' })
  const calls = {
    advance: call(z.strictObject({ by: duration }), async ({ by }) => {
      await advance(instance(), by)
      return { now: clock.now().toISOString() }
    }),

    reorganise: call(z.strictObject({ blocks: count }), async ({ blocks }) => {
      const head = await readHead()
      if (blocks > head - firstBlock)
        throw new ApiError(
          'invalid_input',
          `blocks must be at most ${head - firstBlock}, the number of blocks since the start of \`npm run dev\``,
        )
      await reorganize(rpcUrl, blocks).catch((error) => {
        throw new ApiError('conflict', `the node cannot remove the blocks: ${error.details}`)
      })
      await visitChains(instance())
      return { block: head - blocks }
    }),

    backup: call(nothing, async () => {
      await copyDatabase()
      return { at: clock.now().toISOString() }
    }),

    restore: call(nothing, async () => {
      if (!hasCopy())
        throw new ApiError('conflict', 'there is no backup: POST /dev/backup makes one')
      await target.pause()
      const workerUrl = await restart(putBackDatabase)
      await freeLeases(workerUrl, clock.now())
      target.resume(workerUrl)
      await runCron(workerUrl)
      return {}
    }),
  }
  return { clock: () => ({ now: clock.now().toISOString(), offset: clock.offset() }), calls }
}
