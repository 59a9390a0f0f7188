/** Settings → Profile: the picture and the names of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import { type Account, readAccount } from '../../auth/session.ts'
import { fetchPicture } from '../../avatars/remote.ts'
import { avatarContext, storeAvatar } from '../../avatars/replace.ts'
import { pictureFromForm } from '../../avatars/upload.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { inputText, writtenText } from '../../http/inputs.ts'
import { avatarRateLimit } from '../../http/rate-limit.ts'
import { Profile, updateProfile } from '../../identity/profile.ts'
import { parseForm, rejectionOf } from '../components/form.ts'
import { page } from '../page.tsx'
import { ProfileSettings, type Rejected } from './views.tsx'

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000)
const Names = z.object({ name: text, username: text })

export const profileRoutes = new Endpoints()
  .get('/settings/profile', { access: 'session', reads: 'nearest' }, async (c) =>
    profilePage(c, await readAccount(c.var)),
  )
  .post(
    '/settings/profile',
    { access: 'session', reads: 'primary', input: { form: Names } },
    async (c, { form }) => {
      const values = form
      try {
        await updateProfile(c.var, parseForm(Profile, values))
        return c.redirect('/settings/profile?notice=profile-saved', 303)
      } catch (error) {
        const names = { values, ...rejectionOf(error, ['invalid_input', 'conflict'], 'username') }
        return profilePage(c, await readAccount(c.var), { names })
      }
    },
  )
  .post(
    '/settings/profile/avatar',
    { access: 'session', reads: 'primary', checks: [avatarRateLimit] },
    (c) => changePicture(c, { field: 'avatar' }, () => pictureFromForm(c)),
  )
  .post(
    '/settings/profile/avatar-url',
    {
      access: 'session',
      reads: 'primary',
      checks: [avatarRateLimit],
      input: { form: z.object({ avatarUrl: writtenText(2048) }) },
    },
    (c, { form: { avatarUrl } }) => {
      const loopbackHosts = c.var.settings.LOOPBACK_HOSTS
      return changePicture(c, { field: 'avatarUrl', value: avatarUrl }, () =>
        fetchPicture(avatarUrl, { field: 'avatarUrl', loopbackHosts }),
      )
    },
  )

const profilePage = (c: Context<AppWithCaller>, account: Account, rejected: Rejected = {}) =>
  page(c, {
    title: 'Profile',
    account,
    scripts: ['avatar.js'],
    status: (rejected.names ?? rejected.picture)?.status ?? 200,
    children: <ProfileSettings account={account} {...rejected} />,
  })

/** What is wrong with a picture or its URL, so the page shows it beside the field. */
const pictureErrors = ['invalid_input', 'payload_too_large', 'unsupported_media_type'] as const

/** Stores the picture that `readPicture` returns as the avatar of the signed-in user. */
async function changePicture(
  c: Context<AppWithCaller>,
  form: { field: 'avatar' | 'avatarUrl'; value?: string },
  readPicture: () => Promise<Blob>,
) {
  const account = await readAccount(c.var)
  try {
    await storeAvatar(avatarContext(c), { userId: account.id, picture: await readPicture() })
    return c.redirect('/settings/profile?notice=picture-saved', 303)
  } catch (error) {
    const picture = { value: form.value, ...rejectionOf(error, pictureErrors, form.field) }
    return profilePage(c, account, { picture })
  }
}
