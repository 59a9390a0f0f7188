/** Operations → Catalogue: an upload, what it would change, and the import of just that. */
import { eq } from 'drizzle-orm'
import type { Context } from 'hono'
import * as z from 'zod'
import { readAsUser } from '../../auth/session.ts'
import {
  commit,
  type ImportCtx,
  LinesHaveProblems,
  PricesNeedConfirmation,
  toCounts,
} from '../../catalogue/import.ts'
import { previewCatalogue } from '../../catalogue/preview.ts'
import { catalogueImports } from '../../db/schema/catalogue.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText, uuid } from '../../http/inputs.ts'
import { checkbox, handleForm } from '../../pages/components/forms.tsx'
import { pathWith } from '../../pages/components/text.ts'
import { sent, shown } from '../../pages/page.tsx'
import { adminPage } from '../components/layout.tsx'
import { PreviewPage, ProblemsPage } from './preview-page.tsx'
import { readUpload } from './upload.ts'
import { PATH, UploadPage } from './upload-page.tsx'

const Query = z.object({ imported: uuid.optional().catch(undefined) })
/** What was shown. */
const Shown = z.object({ import: uuid, last: idText, confirm: checkbox })

type Props = { query?: z.output<typeof Query>; form?: z.output<typeof Shown> }

async function uploadPage(c: Context<AppWithCaller>, { query }: Props) {
  const { account, done } = await readAsUser(c.var, {
    done: c.var.db
      .select({ result: catalogueImports.result })
      .from(catalogueImports)
      .where(eq(catalogueImports.id, query?.imported ?? '')),
  })
  const view = <UploadPage counts={done[0]?.result ? toCounts(done[0].result) : null} />
  return adminPage(c, { title: 'Catalogue', account }, view)
}

/** An import that was shown on a page before. */
function importCtx(
  { var: { db, caller, now, settings } }: Context<AppWithCaller>,
  importId: string,
) {
  const maxContentBytes = settings.MAX_CONTENT_BYTES
  return { db, caller, now, importId, callHash: 'page', maxContentBytes } satisfies ImportCtx
}

export const importRoutes = new Endpoints()
  .get(PATH, shown.administrator({ query: Query }), uploadPage)
  .post(
    PATH,
    sent.administrator({}),
    handleForm(uploadPage, 'file', async (c) => {
      // Only the file of an administrator is read.
      const { account } = await readAsUser(c.var, {})
      const { name, ...catalogue } = await readUpload(c)
      const ctx = importCtx(c, crypto.randomUUID())
      const networks = Object.keys(c.var.settings.NETWORKS)
      const preview = await previewCatalogue(ctx, { ...catalogue, networks })
      const view =
        'problems' in preview ? (
          <ProblemsPage file={name} problems={preview.problems} />
        ) : (
          <PreviewPage file={name} importId={ctx.importId} {...preview} />
        )
      return adminPage(c, { title: 'Catalogue', account }, view)
    }),
  )
  .post(
    `${PATH}/import`,
    sent.administrator({ form: Shown }),
    handleForm(uploadPage, 'file', async (c, { form }: { form: z.output<typeof Shown> }) => {
      const { import: importId, last, confirm: isConfirmed } = form
      try {
        await commit(importCtx(c, importId), { last, isDryRun: false, isConfirmed })
      } catch (error) {
        if (error instanceof PricesNeedConfirmation)
          throw new ApiError('confirmation_required', 'say that the prices are right')
        if (error instanceof LinesHaveProblems)
          throw new ApiError('conflict', 'the catalogue has changed since this was shown')
        throw error
      }
      return c.redirect(pathWith(PATH, { imported: importId }), 303)
    }),
  )
