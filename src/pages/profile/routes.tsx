/** Settings → Profile: the picture and the names of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import { type Account, readAccount } from '../../auth/session.ts'
import { avatarContext, storeAvatar } from '../../avatars/replace.ts'
import { fetchPicture, pictureFromForm } from '../../avatars/source.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { inputText, writtenText } from '../../http/inputs.ts'
import { avatarRateLimit } from '../../http/rate-limit.ts'
import { Profile, updateProfile } from '../../identity/profile.ts'
import { describeLimit, peopleLimits } from '../../limits.ts'
import type { Texts } from '../../texts/en.ts'
import { Languages } from '../brand.tsx'
import { Field, handleForm, parseForm, Submit } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { UserPicture } from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { page, sent, shown } from '../page.tsx'

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000)
const Names = z.object({ name: text, username: text })
const PictureUrl = z.object({ avatarUrl: writtenText(2048) })

const checks = [avatarRateLimit]

/** What the page says after a redirect. */
const notices = ({ profile }: Texts) => profile.notices

export const profileRoutes = new Endpoints({ isTranslated: true })
  .get('/settings/profile', shown.session({}), profilePage)
  .post(
    '/settings/profile',
    sent.session({ form: Names }),
    handleForm(profilePage, 'username', async (c, { form }) => {
      await updateProfile(c.var, parseForm(Profile, form))
      return c.redirect('/settings/profile?notice=profile-saved', 303)
    }),
  )
  .post(
    '/settings/profile/avatar',
    { ...sent.session({}), checks },
    handleForm(profilePage, 'avatar', async (c) => {
      const { id: userId } = await readAccount(c.var)
      await storeAvatar(avatarContext(c), { userId, picture: await pictureFromForm(c) })
      return c.redirect(SAVED_PICTURE, 303)
    }),
  )
  .post(
    '/settings/profile/avatar-url',
    { ...sent.session({ form: PictureUrl }), checks },
    handleForm(profilePage, 'avatarUrl', async (c, { form }) => {
      const loopbackHosts = c.var.settings.LOOPBACK_HOSTS
      const { id: userId } = await readAccount(c.var)
      const picture = await fetchPicture(form.avatarUrl, { field: 'avatarUrl', loopbackHosts })
      await storeAvatar(avatarContext(c), { userId, picture })
      return c.redirect(SAVED_PICTURE, 303)
    }),
  )

const SAVED_PICTURE = '/settings/profile?notice=picture-saved'

async function profilePage(c: Context<AppWithCaller>) {
  const account = await readAccount(c.var)
  const view = <ProfileSettings account={account} />
  const title = ({ settings }: Texts) => settings.profile
  return page(c, { title, section: 'profile', notices, account, scripts: ['avatar.js'] }, view)
}

const ProfileSettings = ({ account }: { account: Account }) => {
  const { profile, settings, signIn } = usePage().texts
  return (
    <>
      <h2>{settings.profile}</h2>
      <p class="lead">{profile.lead}</p>
      <section class="panel">
        <h3>{profile.picture}</h3>
        <div class="avatar-form">
          <UserPicture user={account} size={96} />
          <div id="picture" class="stack">
            <FileForm />
            <CropForm />
            <progress max={1} value={0} aria-label={profile.upload} hidden />
            <p class="status" role="status" />
            <p class="problem" role="alert" />
            <div id="other-source" class="stack">
              <p class="or">{signIn.or}</p>
              <UrlForm />
            </div>
          </div>
        </div>
      </section>
      <section class="panel">
        <h3>{profile.names}</h3>
        <NamesForm account={account} />
      </section>
      <section class="panel">
        <h3>{profile.language}</h3>
        <Languages label={profile.language} />
      </section>
    </>
  )
}

/** Sends the file as it is. The script `assets/avatar.js` lets the user crop it before. */
const FileForm = () => {
  const { profile } = usePage().texts
  return (
    <form
      id="avatar-file"
      class="drop"
      method="post"
      action="/settings/profile/avatar"
      enctype="multipart/form-data"
    >
      <Field
        name="avatar"
        label={profile.file}
        type="file"
        accept="image/*"
        required
        hint={
          <>
            <span id="drop-hint" hidden>
              {profile.drop}{' '}
            </span>
            {profile.formats(describeLimit(peopleLimits.picture))}
          </>
        }
      />
      <Submit>
        <Icon name="upload" />
        {profile.upload}
      </Submit>
    </form>
  )
}

const sliders = [
  { name: 'zoom', min: 1, max: 4, step: 0.05, value: 1 },
  { name: 'x', min: 0, max: 100, step: 'any', value: 50 },
  { name: 'y', min: 0, max: 100, step: 'any', value: 50 },
] as const

/** Shown by the script only. */
const CropForm = () => {
  const { layout, profile } = usePage().texts
  return (
    <form id="avatar-crop" class="crop" hidden>
      <div class="crop-frame">
        <canvas width="512" height="512" role="img" aria-label={profile.cropped} />
      </div>
      <div class="stack">
        {sliders.map((slider) => (
          <Field type="range" label={profile[slider.name]} {...slider} />
        ))}
        <p class="hint">{profile.crop}</p>
        <p class="actions">
          <Submit kind="primary">{profile.savePicture}</Submit>
          <button class="button" type="button">
            {layout.cancel}
          </button>
        </p>
      </div>
    </form>
  )
}

const UrlForm = () => {
  const { profile } = usePage().texts
  return (
    <form id="avatar-url" class="inline-form" method="post" action="/settings/profile/avatar-url">
      <Field
        name="avatarUrl"
        label={profile.url}
        type="url"
        required
        maxlength={2048}
        autocomplete="off"
        placeholder="https://"
      />
      <Submit>{profile.use}</Submit>
    </form>
  )
}

const NamesForm = ({ account }: { account: Account }) => {
  const { profile } = usePage().texts
  return (
    <form method="post" action="/settings/profile" class="stack">
      <div class="fields">
        <Field
          name="name"
          label={profile.name}
          value={account.name ?? ''}
          maxlength={100}
          autocomplete="name"
        />
        <Field
          name="username"
          label={profile.username}
          value={account.username ?? ''}
          hint={profile.usernameHint}
          maxlength={30}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
        />
      </div>
      <p class="actions">
        <Submit kind="primary">{profile.save}</Submit>
      </p>
    </form>
  )
}
