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
import { Field, handleForm, parseForm, Submit } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { UserPicture } from '../components/nfts.tsx'
import { page, sent, shown } from '../page.tsx'

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000)
const Names = z.object({ name: text, username: text })
const PictureUrl = z.object({ avatarUrl: writtenText(2048) })

const checks = [avatarRateLimit]

/** What the page says after a redirect. */
const notices = {
  'profile-saved': 'Your names are saved.',
  'picture-saved': 'Your new picture is saved.',
  dismissed: 'You are no administrator any more.',
}

export const profileRoutes = new Endpoints()
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
  return page(
    c,
    { title: 'Profile', section: 'profile', notices, account, scripts: ['avatar.js'] },
    view,
  )
}

const ProfileSettings = ({ account }: { account: Account }) => (
  <>
    <h2>Profile</h2>
    <p class="lead">Others see this beside the NFTs that you create and sell.</p>
    <section class="panel">
      <h3>Picture</h3>
      <div class="avatar-form">
        <UserPicture user={account} size={96} />
        <div id="picture" class="stack">
          <FileForm />
          <CropForm />
          <progress max={1} value={0} aria-label="Upload" hidden />
          <p class="status" role="status" />
          <p class="problem" role="alert" />
          <div id="other-source" class="stack">
            <p class="or">or</p>
            <UrlForm />
          </div>
        </div>
      </div>
    </section>
    <section class="panel">
      <h3>Names</h3>
      <NamesForm account={account} />
    </section>
  </>
)

/** Sends the file as it is. The script `assets/avatar.js` lets the user crop it before. */
const FileForm = () => (
  <form
    id="avatar-file"
    class="drop"
    method="post"
    action="/settings/profile/avatar"
    enctype="multipart/form-data"
  >
    <Field
      name="avatar"
      label="Picture file"
      type="file"
      accept="image/*"
      required
      hint={
        <>
          <span id="drop-hint" hidden>
            You can also drop a file here.{' '}
          </span>
          JPEG, PNG, GIF or WebP, at most {describeLimit(peopleLimits.picture)}.
        </>
      }
    />
    <Submit>
      <Icon name="upload" />
      Upload
    </Submit>
  </form>
)

const sliders = [
  { name: 'zoom', label: 'Zoom', min: 1, max: 4, step: 0.05, value: 1 },
  { name: 'x', label: 'Horizontal position', min: 0, max: 100, step: 'any', value: 50 },
  { name: 'y', label: 'Vertical position', min: 0, max: 100, step: 'any', value: 50 },
]

/** Shown by the script only. */
const CropForm = () => (
  <form id="avatar-crop" class="crop" hidden>
    <div class="crop-frame">
      <canvas width="512" height="512" role="img" aria-label="Your picture, as it is cropped" />
    </div>
    <div class="stack">
      {sliders.map((slider) => (
        <Field type="range" {...slider} />
      ))}
      <p class="hint">Drag the picture, or use the sliders.</p>
      <p class="actions">
        <Submit kind="primary">Save picture</Submit>
        <button class="button" type="button">
          Cancel
        </button>
      </p>
    </div>
  </form>
)

const UrlForm = () => (
  <form id="avatar-url" class="inline-form" method="post" action="/settings/profile/avatar-url">
    <Field
      name="avatarUrl"
      label="URL of a picture"
      type="url"
      required
      maxlength={2048}
      autocomplete="off"
      placeholder="https://"
    />
    <Submit>Use picture</Submit>
  </form>
)

const NamesForm = ({ account }: { account: Account }) => (
  <form method="post" action="/settings/profile" class="stack">
    <div class="fields">
      <Field
        name="name"
        label="Name"
        value={account.name ?? ''}
        maxlength={100}
        autocomplete="name"
      />
      <Field
        name="username"
        label="User name"
        value={account.username ?? ''}
        hint="3 to 30 characters: a to z, 0 to 9 and _, a letter first."
        maxlength={30}
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
      />
    </div>
    <p class="actions">
      <Submit kind="primary">Save</Submit>
    </p>
  </form>
)
