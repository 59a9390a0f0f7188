/** Texts of others, which may be of any length, in any script and direction. */
import { money } from './numbers.ts'

/** A title that ends after two lines. Its direction does not change that of the text around it. */
export const Title = ({ children }: { children: string }) => (
  <bdi class="title" title={children}>
    {children}
  </bdi>
)

/** A price on one line, in minor units of the currency (ISO 4217). */
export const Price = ({ price, currency }: { price: number; currency: string }) => (
  <span class="price">{money(price, currency)}</span>
)
