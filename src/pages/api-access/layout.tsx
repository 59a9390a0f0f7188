import type { Child } from 'hono/jsx'
import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { Tabs } from '../components/navigation.tsx'
import { usePage } from '../components/request.ts'
import { SettingsPage } from '../settings.tsx'

type ApiAccessProps = { tab: 'marketplace-api' | 'everyone'; children: Child }

/** The section API Access with its tabs. Only administrators see the tab for all tokens. */
export const ApiAccess = ({ tab, children }: ApiAccessProps) => {
  const own = ['/settings/api-access', 'Marketplace API', tab === 'marketplace-api'] as const
  const all = ['/settings/api-access/everyone', 'Everyone’s tokens', tab === 'everyone'] as const
  const isAdministrator = usePage().account?.roleId === ADMINISTRATOR
  return (
    <SettingsPage section="api-access">
      <h2>API Access</h2>
      <Tabs label="API Access" tabs={isAdministrator ? [own, all] : [own]} />
      {children}
    </SettingsPage>
  )
}
