/** The page with the NFTs that were delivered to the signed-in user. */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { requireSession, validate } from '../../http/endpoint.ts'
import { cursorText } from '../../http/ids.ts'
import { readCollection } from '../../orders/collection.ts'
import { page } from '../page.tsx'
import { Collection } from './views.tsx'

const CollectionQuery = z.object({ before: cursorText.optional().catch(undefined) })

export const collectionRoutes = new Hono<App>().get(
  '/collection',
  requireSession(),
  validate('query', CollectionQuery),
  async (c) => {
    const { before = null } = c.req.valid('query')
    const { account, nfts, next } = await readCollection(c.var, { before })
    return page(c, {
      title: 'Collection',
      account,
      children: <Collection nfts={nfts} next={next} isFirstPage={before === null} />,
    })
  },
)
