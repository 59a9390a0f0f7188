/** What the foot of a page and the profile send to choose the language. */
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { writeAs } from '../../auth/access.ts'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { users } from '../../db/schema/users.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { languages } from '../../texts/texts.ts'
import { sent } from '../page.tsx'
import { storeLanguage } from '../reader.ts'
import { allowedRedirect } from '../sign-in/redirect.ts'

const LanguageForm = z.object({ language: z.enum(Object.keys(languages)) })

export const languageRoutes = new Endpoints({ isTranslated: true }).post(
  '/language',
  { ...sent.public({ form: LanguageForm }), checks: [requireSameOrigin] },
  async (c, { form: { language } }) => {
    const { db, caller, settings } = c.var
    storeLanguage(c, language)
    if (caller)
      await writeAs(db, { ...caller, requires: 'session' }, [], {
        user: db.update(users).set({ language }).where(eq(users.id, caller.userId)),
      }).catch(allowSignedOut)
    // Pages of this site send their whole URL with their forms.
    return c.redirect(allowedRedirect(settings, c.req.header('referer')) ?? '/', 303)
  },
)

/** Then the browser alone keeps the choice. */
function allowSignedOut(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
