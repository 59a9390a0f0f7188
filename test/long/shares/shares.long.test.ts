/**
 * Attackers take as much as they can get, and everybody else still gets a fair share. `npm run fuzz --
 * --hostile` plays one seed.
 */
import { expect, inject, it, vi } from 'vitest'
import { emptyBucket, emptyDatabase } from '../../support/database.ts'
import { PATIENCE } from '../../support/patience.ts'
import { shareCampaign } from './shares.ts'

declare module 'vitest' {
  interface ProvidedContext {
    shares: { seeds: number[]; steps: number }
  }
}

const { seeds, steps } = inject('shares')

it.each(seeds)(
  'serves a victim in ten times the quiet time at most, whatever attackers send (seed %s)',
  {
    timeout: 3 * PATIENCE + steps * 200,
  },
  async (seed) => {
    await emptyDatabase()
    await emptyBucket()
    const { log } = console
    const lines: string[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, method).mockImplementation((...values) => void lines.push(values.join(' ')))
    const { requests, accepted, worst } = await shareCampaign(seed, steps, lines)
    const shown = Object.entries(worst).map(([name, times]) => `${name}: ${times.toFixed(1)}`)
    log(
      `shares: seed ${seed}, ${requests} requests (${accepted} accepted), ` +
        `times as much as before the attack: ${shown.join('; ')}`,
    )
    // Otherwise the attackers are too harmless.
    expect(accepted).toBeGreaterThanOrEqual(steps / 5)
  },
)
