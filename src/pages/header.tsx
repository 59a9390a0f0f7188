import type { Account } from '../auth/session.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { LinkButton } from './components/button.tsx'
import { Icon } from './components/icon.tsx'
import { displayName } from './components/names.ts'
import { currentIf, Menu, type MenuLink, settingsLinks } from './components/navigation.tsx'
import { UserPicture } from './components/picture.tsx'
import { usePage } from './components/request.ts'

/** The bar on top of every page, with the menu of the signed-in user. */
export const Header = ({ path }: { path: string }) => {
  const { account } = usePage()
  return (
    <header class="bar">
      <a class="brand" href="/">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>Marketplace</span>
      </a>
      <nav class="bar-links" aria-label="Main">
        <a href="/nfts" {...currentIf(path.startsWith('/nfts'))}>
          NFTs
        </a>
        {account && (
          <a href="/orders" {...currentIf(path === '/orders')}>
            Orders
          </a>
        )}
        <a href="/docs" {...currentIf(path.startsWith('/docs'))}>
          API
        </a>
        {!account && !path.startsWith('/sign-in') && (
          <LinkButton href="/sign-in" kind="small">
            Sign in
          </LinkButton>
        )}
      </nav>
      {account && <UserMenu account={account} />}
    </header>
  )
}

const administratorLinks: MenuLink[] = [['/operations', 'Operations', 'operations']]

/** The browser opens and closes a popover without a script. */
const UserMenu = ({ account }: { account: Account }) => {
  const name = displayName(account)
  const links: MenuLink[] = [
    ['/orders', 'Orders', 'order'],
    ['/collection', 'Collection', 'collection'],
    ...settingsLinks,
    ...(account.roleId === ADMINISTRATOR ? administratorLinks : []),
  ]
  return (
    <>
      <button class="menu-button" type="button" popovertarget="menu" aria-label={`Menu of ${name}`}>
        <UserPicture user={account} size={32} />
      </button>
      <div id="menu" class="menu" popover="auto">
        <p class="menu-name">{name}</p>
        <Menu label="Your account" links={links} />
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
