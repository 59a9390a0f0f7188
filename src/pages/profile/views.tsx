import type { Account } from '../../auth/session.ts'
import { MAX_BYTES } from '../../avatars/format.ts'
import { Submit } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import type { Rejection } from '../components/form.ts'
import { Icon } from '../components/icon.tsx'
import { UserPicture } from '../components/picture.tsx'
import { SettingsPage } from '../settings.tsx'

/** What the user has entered in one of the forms, and why it was rejected. */
export type Rejected = {
  names?: Rejection<'name' | 'username'> & { values: { name: string; username: string } }
  picture?: Rejection<'avatar' | 'avatarUrl'> & { value: string | undefined }
}

type ProfileSettingsProps = Rejected & { account: Account }

/** The names and the avatar of a user. */
export const ProfileSettings = ({ account, names, picture }: ProfileSettingsProps) => (
  <SettingsPage section="profile">
    <h2>Profile</h2>
    <p class="lead">Others see this beside the NFTs that you create and sell.</p>
    <section class="panel">
      <h3>Picture</h3>
      <div class="avatar-form">
        <UserPicture user={account} size={96} />
        <div id="picture" class="stack">
          <FileForm problem={picture?.problems.avatar} />
          <CropForm />
          <progress max={1} value={0} aria-label="Upload" hidden />
          <p class="status" role="status" />
          <p class="problem" role="alert" />
          <div id="other-source" class="stack">
            <p class="or">or</p>
            <UrlForm form={picture} />
          </div>
        </div>
      </div>
    </section>
    <section class="panel">
      <h3>Names</h3>
      <NamesForm account={account} form={names} />
    </section>
  </SettingsPage>
)

/** Sends the file as it is. The script `assets/avatar.js` lets the user crop it before. */
const FileForm = ({ problem }: { problem: string | undefined }) => (
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
      problem={problem}
      hint={
        <>
          <span id="drop-hint" hidden>
            You can also drop a file here.{' '}
          </span>
          JPEG, PNG, GIF or WebP, at most {MAX_BYTES / 1024 / 1024} MiB.
        </>
      }
    />
    <Submit>
      <Icon name="upload" />
      Upload
    </Submit>
  </form>
)

/** Shown by the script only. */
const CropForm = () => (
  <form id="avatar-crop" class="crop" hidden>
    <div class="crop-frame">
      <canvas width="512" height="512" role="img" aria-label="Your picture, as it is cropped" />
    </div>
    <div class="stack">
      <RangeField name="zoom" label="Zoom" min={1} max={4} step={0.05} value={1} />
      <RangeField name="x" label="Horizontal position" min={0} max={100} step="any" value={50} />
      <RangeField name="y" label="Vertical position" min={0} max={100} step="any" value={50} />
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

type RangeFieldProps = {
  name: string
  label: string
  min: number
  max: number
  step: number | 'any'
  value: number
}

const RangeField = ({ name, label, ...range }: RangeFieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <input id={name} name={name} type="range" {...range} />
  </div>
)

const UrlForm = ({ form }: { form: Rejected['picture'] }) => (
  <form id="avatar-url" class="inline-form" method="post" action="/settings/profile/avatar-url">
    <Field
      name="avatarUrl"
      label="URL of a picture"
      type="url"
      required
      maxlength={2048}
      autocomplete="off"
      placeholder="https://"
      value={form?.value}
      problem={form?.problems.avatarUrl}
    />
    <Submit>Use picture</Submit>
  </form>
)

type NamesFormProps = { account: Account; form: Rejected['names'] }

const NamesForm = ({ account, form }: NamesFormProps) => (
  <form method="post" action="/settings/profile" class="stack">
    <div class="fields">
      <Field
        name="name"
        label="Name"
        value={form?.values.name ?? account.name ?? ''}
        problem={form?.problems.name}
        maxlength={100}
        autocomplete="name"
      />
      <Field
        name="username"
        label="User name"
        value={form?.values.username ?? account.username ?? ''}
        problem={form?.problems.username}
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
