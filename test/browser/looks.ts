import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Between them both schemes and both widths. */
const readByAxe = ['light 1280', 'dark 390']

/**
 * Nothing for axe to complain of, in light and dark; and nothing wider than the screen, on a phone
 * and on a desk. `SCREENSHOTS=<folder>` keeps a picture of each look.
 */
export async function expectGood(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      const look = `${colorScheme} ${width}`
      const { SCREENSHOTS } = process.env
      const file = `${name} ${look}.png`.replaceAll(/[^\w.]+/g, '-')
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true })
      const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(needed, `${name}, ${look}: scrolls sideways`).toBeLessThanOrEqual(width)
      if (!readByAxe.includes(look)) continue
      // There are no frames, for whose sake it would open a second page each time.
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
      expect(found, `${name}, ${look}`).toEqual([])
    }
}
