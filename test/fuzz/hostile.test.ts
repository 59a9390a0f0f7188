/**
 * Attackers play against victims: nobody takes what is not theirs. `npm run fuzz:hostile` plays
 * longer.
 */
import { expect, inject, it, vi } from 'vitest'
import { PATIENCE } from '../support/patience.ts'
import { campaign } from './hostile/campaign.ts'

declare module 'vitest' {
  interface ProvidedContext {
    hostile: { seed: number; steps: number }
  }
}

const { seed, steps } = inject('hostile')

it('changes no row and shows nothing private of a victim, whatever attackers send', {
  timeout: 3 * PATIENCE + steps * 200,
}, async () => {
  const { log } = console
  const lines: string[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...values) => void lines.push(values.join(' ')))
  const { requests, accepted, forced } = await campaign(seed, steps, lines)
  log(
    `hostile: seed ${seed}, ${requests} requests (${accepted} accepted, ` +
      `${forced} orders that sellers placed for victims), no victim was harmed`,
  )
  // Otherwise the attackers are too harmless.
  expect(accepted).toBeGreaterThanOrEqual(Math.floor(steps / 20))
  expect(forced).toBeGreaterThanOrEqual(Math.floor(steps / 400))
})
