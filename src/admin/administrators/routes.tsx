/** The page of administrators. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { idText, writtenText } from '../../http/inputs.ts'
import { displayName } from '../../pages/components/names.ts'
import { notifyOwner } from '../../pages/notify-owner.ts'
import { page } from '../../pages/page.tsx'
import { readAdministrators, setAdministrator } from './administrators.ts'
import { Administrators } from './views.tsx'

const Person = z.object({ person: writtenText(255).optional().catch(undefined) })
const Change = z.object({ userId: idText, to: z.enum(['appointed', 'dismissed']) })

export const administratorRoutes = new Endpoints()
  .get(
    '/operations/administrators',
    { access: 'administrator', reads: 'nearest', input: { query: Person } },
    async (c, { query: { person: text } }) => {
      const { account, ...found } = await readAdministrators(c.var, text)
      return page(c, {
        title: 'Administrators',
        account,
        styles: ['operations.css'],
        scripts: ['dialog.js'],
        children: <Administrators {...found} text={text} />,
      })
    },
  )
  .post(
    '/operations/administrators',
    { access: 'administrator', reads: 'primary', input: { form: Change } },
    async (c, { form: { userId, to: type } }) => {
      const isAdministrator = type === 'appointed'
      const { person, ownEmail } = await setAdministrator(c.var, { userId, isAdministrator })
      // The session of the administrator may be stolen.
      for (const to of new Set([person.email, ownEmail]))
        notifyOwner(c, to, { type, name: displayName(person) })
      // Who has given up the role cannot see the page.
      const isOwn = !isAdministrator && userId === c.var.caller.userId
      return c.redirect(
        `${isOwn ? '/settings/profile' : '/operations/administrators'}?notice=${type}`,
        303,
      )
    },
  )
