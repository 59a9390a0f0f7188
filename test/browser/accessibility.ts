import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** axe checks each width once, and each colour scheme. */
const axeVariants = ['light 320', 'dark 390', 'light 1280']

/** The elements with the attribute `hidden` that are shown nevertheless. */
const SHOWN_HIDDEN = `[...document.querySelectorAll('[hidden]')]
  .filter((element) => element.getClientRects().length > 0)
  .map(({ outerHTML }) => outerHTML)`

/**
 * Expects a page that fits the width of phones and of a desktop, and has no axe violations in
 * light and dark mode. `SCREENSHOTS=<folder>` saves a screenshot of each variant.
 */
export async function expectAccessible(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      const variant = `${colorScheme} ${width}`
      const { SCREENSHOTS } = process.env
      const file = `${name} ${variant}.png`.replaceAll(/[^\w.]+/g, '-')
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true })
      // A busy browser may not have applied the new size yet.
      await expect
        .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), {
          message: `${name}, ${variant}: scrolls sideways`,
        })
        .toBeLessThanOrEqual(width)
      expect(
        await page.evaluate(SHOWN_HIDDEN),
        `${name}, ${variant}: shows what is hidden`,
      ).toEqual([])
      if (!axeVariants.includes(variant)) continue
      // Legacy mode skips the second page that axe opens for frames. These pages have none.
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
      expect(found, `${name}, ${variant}`).toEqual([])
    }
}

/** Saves the picture of a page for a document, if `npm run screenshots` runs this test. */
export async function savePicture(page: Page, path: string): Promise<void> {
  // Art is loaded when it is near.
  await page.waitForLoadState('networkidle')
  if (process.env.SCREENSHOTS) await page.screenshot({ path })
}
