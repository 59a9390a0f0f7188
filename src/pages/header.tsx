import type { Account } from '../auth/session.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { Icon, type IconName } from './components/icon.tsx'
import { displayName } from './components/names.ts'
import { UserPicture } from './components/picture.tsx'

/** The bar on top of every page, with the menu of the signed-in user. */
export const Header = ({ account, path }: { account: Account | null; path: string }) => (
  <header class="bar">
    <a class="brand" href="/">
      <img src="/icon.svg" alt="" width="24" height="24" />
      Marketplace
    </a>
    <nav class="bar-links" aria-label="Main">
      {account && (
        <a href="/orders" {...currentIf(path === '/orders')}>
          Orders
        </a>
      )}
      <a href="/docs" {...currentIf(path.startsWith('/docs'))}>
        API
      </a>
      {!account && !path.startsWith('/sign-in') && (
        <a class="button small" href="/sign-in">
          Sign in
        </a>
      )}
    </nav>
    {account && <UserMenu account={account} />}
  </header>
)

type MenuLink = [path: string, name: string, icon: IconName]

const administratorLinks: MenuLink[] = [['/operations', 'Operations', 'operations']]

const links: MenuLink[] = [
  ['/orders', 'Orders', 'order'],
  ['/settings/profile', 'Profile', 'user'],
  ['/settings/addresses', 'Addresses', 'address'],
  ['/settings/account', 'Account', 'wallet'],
  ['/settings/sessions', 'Sessions', 'session'],
  ['/settings/api-access', 'API Access', 'key'],
  ['/settings/webhooks', 'Webhooks', 'webhook'],
]

/** The browser opens and closes a popover without a script. */
const UserMenu = ({ account }: { account: Account }) => {
  const name = displayName(account)
  return (
    <>
      <button class="menu-button" type="button" popovertarget="menu" aria-label={`Menu of ${name}`}>
        <UserPicture user={account} size={32} />
      </button>
      <div id="menu" class="menu" popover="auto">
        <p class="menu-name">{name}</p>
        <nav aria-label="Your account">
          <ul>
            {[...links, ...(account.roleId === ADMINISTRATOR ? administratorLinks : [])].map(
              ([path, label, icon]) => (
                <li>
                  <a href={path}>
                    <Icon name={icon} />
                    {label}
                  </a>
                </li>
              ),
            )}
          </ul>
        </nav>
        <form method="post" action="/sign-out">
          <button type="submit">
            <Icon name="leave" />
            Sign out
          </button>
        </form>
      </div>
    </>
  )
}

/** Marks the link to the present page. */
export const currentIf = (current: boolean) => (current ? { 'aria-current': 'page' as const } : {})
