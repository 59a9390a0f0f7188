import type { Child } from 'hono/jsx'
import type { Network } from '../../env.ts'
import { explorerPage } from '../../http/links.ts'
import { Icon } from './icon.tsx'
import { shortAddress } from './names.ts'

type ExplorerLinkProps = {
  network: Network | undefined
  kind: 'tx' | 'address' | 'token' | 'block'
  value: string | number
  /** Instead of the shortened value. */
  children?: Child
}

/** A link to the block explorer of a network; without one the value, all of which can be copied. */
export const ExplorerLink = ({ network, kind, value, children }: ExplorerLinkProps) => {
  const explorer = network?.explorerUrl
  if (!explorer) return <span class="hash">{value}</span>
  return (
    <a href={explorerPage(explorer, kind, value)}>
      {children ?? shortAddress(String(value))} <Icon name="external" size={12} />
    </a>
  )
}
