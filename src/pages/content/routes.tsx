/** What comes with an NFT, for who holds its token, and the files of an order for its buyer. */
import * as z from 'zod'
import { readAccount } from '../../auth/session.ts'
import { answerFile } from '../../content/download.ts'
import { findFileOfOrder, readContentOfHolder } from '../../content/release.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { idText, inputText } from '../../http/inputs.ts'
import { contentRateLimit, holderRateLimit } from '../../http/rate-limit.ts'
import { page, shown } from '../page.tsx'
import { ContentPage } from './views.tsx'

const NftId = z.object({ id: idText })
const OrderFile = z.object({ id: idText, name: inputText(400) })

const ofHolder = {
  ...shown.session({ param: NftId }),
  reads: 'primary' as const,
  checks: [contentRateLimit, holderRateLimit],
}
const ofOrder = { ...shown.session({ param: OrderFile }), reads: 'primary' as const }

export const contentPageRoutes = new Endpoints({ isTranslated: true })
  .get('/nfts/:id/content', ofHolder, async (c, { param: { id } }) => {
    const account = await readAccount(c.var)
    const { phrase, files } = await readContentOfHolder(c.var, id)
    const shownFiles = files.map(({ url: href, ...file }) => ({ ...file, href }))
    return page(
      c,
      { title: ({ content }) => content.title, account, scripts: ['copy.js'] },
      <ContentPage nftId={id} phrase={phrase} files={shownFiles} />,
    )
  })
  .get('/orders/:id/files/:name', ofOrder, async (c, { param }) =>
    answerFile(c, await findFileOfOrder(c.var, param)),
  )
