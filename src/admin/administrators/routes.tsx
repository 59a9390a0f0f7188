/** The page of administrators. */
import * as z from 'zod'
import type { Person } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { idText, writtenText } from '../../http/inputs.ts'
import { Confirm, Field, Hidden, Submit } from '../../pages/components/forms.tsx'
import { Meta } from '../../pages/components/lists.tsx'
import { type Found, usePage, useRecentSignIn } from '../../pages/components/request.ts'
import { contactName, displayName } from '../../pages/components/text.ts'
import { notifyOwner } from '../../pages/notify-owner.ts'
import { sent, shown } from '../../pages/page.tsx'
import { RecentSignIn } from '../../pages/settings.tsx'
import { AdminLayout, adminPage, UserLink } from '../components/layout.tsx'
import { readAdministrators, setAdministrator } from './administrators.ts'

const Search = z.object({ person: writtenText(255).optional().catch(undefined) })
const Change = z.object({ userId: idText, to: z.enum(['appointed', 'dismissed']) })

const search = shown.administrator({ query: Search })
const change = sent.administrator({ form: Change })

export const administratorRoutes = new Endpoints()
  .get('/operations/administrators', search, async (c, { query: { person: text } }) => {
    const { account, ...found } = await readAdministrators(c.var, text)
    const scripts = ['dialog.js']
    const view = <Administrators {...found} text={text} />
    return adminPage(c, { title: 'Administrators', account, scripts }, view)
  })
  .post('/operations/administrators', change, async (c, { form: { userId, to: type } }) => {
    const isAdministrator = type === 'appointed'
    const { person, ownEmail } = await setAdministrator(c.var, { userId, isAdministrator })
    // The session of the administrator may be stolen.
    for (const email of new Set([person.email, ownEmail]))
      notifyOwner(c, { email }, { type, name: displayName(person) })
    // Who has given up the role cannot see the page.
    const isOwn = !isAdministrator && userId === c.var.caller.userId
    const path = isOwn ? '/settings/profile' : '/operations/administrators'
    return c.redirect(`${path}?notice=${type}`, 303)
  })

type AdministratorsProps = Found<typeof readAdministrators> & {
  /** The e-mail address or username that was entered. */
  text: string | undefined
}

const Administrators = ({ administrators, found, text }: AdministratorsProps) => {
  const { notice = '' } = usePage()
  // Anyone can edit the URL.
  const isKnown = /^(appointed|dismissed)$/.test(notice)
  return (
    <AdminLayout path="/operations/administrators" notice={isKnown && `This user was ${notice}.`}>
      <h1>Administrators</h1>
      <p class="lead">
        Administrators see all orders and users, act on deliveries, generate master tokens, which
        act for every user, and appoint and dismiss each other.
      </p>
      <ul class="rows">
        {administrators.map((person) => (
          <li class="row line">
            <Name person={person} />
            {administrators.length > 1 ? (
              <Dismiss person={person} />
            ) : (
              <p class="hint">The last one cannot be dismissed.</p>
            )}
          </li>
        ))}
      </ul>
      <RecentSignIn toDo="appoint or dismiss an administrator" path="/operations/administrators">
        <form method="get" class="panel inline-form">
          <Field
            name="person"
            label="Appoint: e-mail address or username"
            value={text}
            problem={text && !found ? 'No other user with this name has signed in.' : undefined}
            required
            maxlength={255}
          />
          <Submit>Find</Submit>
        </form>
        {found && (
          <form method="post" class="panel row line">
            <Hidden values={{ userId: found.id }} />
            <Name person={found} />
            <button class="button primary" type="submit" name="to" value="appointed">
              Make an administrator
            </button>
          </form>
        )}
      </RecentSignIn>
    </AdminLayout>
  )
}

const Name = ({ person }: { person: Person }) => (
  <>
    <div class="row-head">
      <strong>
        <UserLink id={person.id} name={displayName(person)} />
      </strong>
      {usePage().account?.id === person.id && <span class="badge strong">You</span>}
    </div>
    <Meta facts={[contactName(person), `User ${person.id}`]} />
  </>
)

const Dismiss = ({ person }: { person: Person }) =>
  useRecentSignIn() && (
    <Confirm
      id={`dismiss-${person.id}`}
      label="Dismiss"
      subject={displayName(person)}
      title={`Dismiss ${displayName(person)}?`}
      action="/operations/administrators"
      submit="Dismiss"
      values={{ userId: person.id, to: 'dismissed' }}
    >
      <p>
        Master tokens of this account stop working at once, and its webhooks of all orders are
        disabled.
      </p>
    </Confirm>
  )
