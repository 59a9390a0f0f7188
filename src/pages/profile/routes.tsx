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
import { parseForm, rejectionOf } from '../components/forms.tsx'
import type { Rejection } from '../components/request.ts'
import { page, sent, shown } from '../page.tsx'
import { ProfileSettings } from './views.tsx'

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000)
const Names = z.object({ name: text, username: text })
const PictureUrl = z.object({ avatarUrl: writtenText(2048) })

const PATH = '/settings/profile'
const checks = [avatarRateLimit]

export const profileRoutes = new Endpoints()
  .get(PATH, shown.session({}), async (c) => profilePage(c, await readAccount(c.var)))
  .post(PATH, sent.session({ form: Names }), async (c, { form }) => {
    try {
      await updateProfile(c.var, parseForm(Profile, form))
    } catch (error) {
      const rejection = rejectionOf(error, form, 'username')
      return profilePage(c, await readAccount(c.var), rejection)
    }
    return c.redirect(`${PATH}?notice=profile-saved`, 303)
  })
  .post(`${PATH}/avatar`, { ...sent.session({}), checks }, async (c) => {
    const account = await readAccount(c.var)
    try {
      const picture = await pictureFromForm(c)
      await storeAvatar(avatarContext(c), { userId: account.id, picture })
    } catch (error) {
      return profilePage(c, account, rejectionOf(error, {}, 'avatar'))
    }
    return c.redirect(SAVED_PICTURE, 303)
  })
  .post(
    `${PATH}/avatar-url`,
    { ...sent.session({ form: PictureUrl }), checks },
    async (c, { form }) => {
      const loopbackHosts = c.var.settings.LOOPBACK_HOSTS
      const account = await readAccount(c.var)
      try {
        const picture = await fetchPicture(form.avatarUrl, { field: 'avatarUrl', loopbackHosts })
        await storeAvatar(avatarContext(c), { userId: account.id, picture })
      } catch (error) {
        return profilePage(c, account, rejectionOf(error, form, 'avatarUrl'))
      }
      return c.redirect(SAVED_PICTURE, 303)
    },
  )

const SAVED_PICTURE = `${PATH}?notice=picture-saved`

function profilePage(c: Context<AppWithCaller>, account: Account, rejection?: Rejection) {
  const scripts = ['avatar.js']
  const children = <ProfileSettings account={account} />
  return page(c, { title: 'Profile', section: 'profile', account, scripts, rejection, children })
}
