/** Texts of others, which may be of any length, in any script and direction. */
import type { Child } from 'hono/jsx'
import { money } from './numbers.ts'

/** A title that ends after two lines. Its direction does not change that of the text around it. */
export const Title = ({ children }: { children: string }) => (
  <bdi class="title" title={children}>
    {children}
  </bdi>
)

/** A name within a line. */
export const Name = ({ children }: { children: Child }) => <bdi>{children}</bdi>

type PriceProps = {
  /** In minor units of the currency. */
  amount: number
  /** A code of ISO 4217. */
  currency: string
}

/** A price on one line. */
export const Price = ({ amount, currency }: PriceProps) => (
  <span class="price">{money(amount, currency)}</span>
)
