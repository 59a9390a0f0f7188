/** Settings → Profile: the picture and the names of a user. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { type Account, readAccount } from '../../auth/session.ts'
import { avatarContext } from '../../avatars/context.ts'
import { fetchPicture } from '../../avatars/remote.ts'
import { storeAvatar } from '../../avatars/replace.ts'
import { pictureFromForm } from '../../avatars/upload.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireSession, validate } from '../../http/endpoint.ts'
import { ApiError, type ErrorCode, errorStatus } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'
import { avatarRateLimit } from '../../http/rate-limit.ts'
import { Profile, updateProfile } from '../../identity/profile.ts'
import { problemsIn, sentence } from '../components/field.tsx'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { type PictureForm, type ProfileForm, ProfileSettings } from './views.tsx'

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000)
const Names = z.object({ name: text, username: text })

export const profileRoutes = new Hono<App>()
  .get(
    '/settings/profile',
    requireSession(),
    validate('query', z.object({ notice: NoticeName })),
    async (c) => {
      const account = await readAccount(c.var)
      return profilePage(c, { account, notice: c.req.valid('query').notice })
    },
  )
  .post('/settings/profile', requireSession(), validate('form', Names), async (c) => {
    const values = c.req.valid('form')
    const profile = Profile.safeParse(values)
    if (!profile.success)
      return rejectedNames(c, 'invalid_input', { values, problems: problemsIn(profile.error) })
    try {
      await updateProfile(c.var, profile.data)
    } catch (error) {
      const { code, message } = requireCode(error, ['conflict'])
      return rejectedNames(c, code, { values, problems: { username: sentence(message) } })
    }
    return c.redirect('/settings/profile?notice=profile-saved', 303)
  })
  .post('/settings/profile/avatar', requireSession(), avatarRateLimit, (c) =>
    changePicture(c, { field: 'avatar' }, () => pictureFromForm(c)),
  )
  .post(
    '/settings/profile/avatar-url',
    requireSession(),
    avatarRateLimit,
    validate('form', z.object({ avatarUrl: inputText(2048).trim() })),
    (c) => {
      const { avatarUrl } = c.req.valid('form')
      const loopbackHosts = c.var.settings.LOOPBACK_HOSTS
      return changePicture(c, { field: 'avatarUrl', value: avatarUrl }, () =>
        fetchPicture(avatarUrl, { loopbackHosts }),
      )
    },
  )

type ProfileState = {
  account: Account
  status?: ErrorCode
  notice?: Notice | undefined
  names?: ProfileForm
  picture?: PictureForm
}

function profilePage(
  c: Context<AppWithCaller>,
  { account, status, notice, ...forms }: ProfileState,
) {
  return page(c, {
    title: 'Profile',
    account,
    scripts: ['avatar.js'],
    status: status ? errorStatus[status] : 200,
    children: <ProfileSettings account={account} notice={notice} {...forms} />,
  })
}

async function rejectedNames(c: Context<AppWithCaller>, status: ErrorCode, names: ProfileForm) {
  const account = await readAccount(c.var)
  return profilePage(c, { account, status, names })
}

/** What is wrong with a picture or its URL, so the page shows it beside the field. */
const pictureErrors = ['invalid_input', 'payload_too_large', 'unsupported_media_type'] as const

/** Stores the picture that `readPicture` returns as the avatar of the signed-in user. */
async function changePicture(
  c: Context<AppWithCaller>,
  form: Pick<PictureForm, 'field' | 'value'>,
  readPicture: () => Promise<Blob>,
) {
  const account = await readAccount(c.var)
  try {
    await storeAvatar(avatarContext(c), { userId: account.id, picture: await readPicture() })
  } catch (error) {
    const { code, message } = requireCode(error, pictureErrors)
    const problem = sentence(message.replace(/^avatar(Url)?: /, ''))
    return profilePage(c, { account, status: code, picture: { ...form, problem } })
  }
  return c.redirect('/settings/profile?notice=picture-saved', 303)
}

/** Returns an error with one of these codes. Throws every other error. */
function requireCode(error: unknown, codes: readonly ErrorCode[]): ApiError {
  if (error instanceof ApiError && codes.includes(error.code)) return error
  throw error
}
