/** What the foot of a page and the profile send to choose the language. */
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { writeAs } from '../../auth/access.ts'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { findAccount } from '../../auth/session.ts'
import { users } from '../../db/schema/users.ts'
import { Endpoints } from '../../http/endpoint.ts'
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
    const account = await findAccount(db, caller)
    if (caller && account)
      await writeAs(db, caller, [], {
        user: db.update(users).set({ language }).where(eq(users.id, account.id)),
      })
    // Pages of this site send their whole URL with their forms.
    return c.redirect(allowedRedirect(settings, c.req.header('referer')) ?? '/', 303)
  },
)
