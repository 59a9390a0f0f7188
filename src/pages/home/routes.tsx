/** The start page. */
import { findAccount } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { readHome } from '../../marketplace/home.ts'
import { Preview } from '../components/preview.tsx'
import { page } from '../page.tsx'
import { HomePage } from './views.tsx'

/** Routes of the home page. */
export const homeRoutes = new Endpoints().get(
  '/',
  { access: 'public', reads: 'nearest' },
  async (c) => {
    const [account, data] = await Promise.all([
      findAccount(c.var.db, c.var.caller),
      readHome(c.var),
    ])
    return page(c, {
      title: 'Digital collectibles',
      account,
      head: (
        <Preview
          title="Digital collectibles, delivered to your wallet"
          description="Creators release NFTs here, and shops sell them."
          path="/"
        />
      ),
      children: <HomePage {...data} />,
    })
  },
)
