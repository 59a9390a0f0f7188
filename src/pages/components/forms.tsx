/** Forms: their fields and buttons, and what is said when one was sent. */
import type { Context } from 'hono'
import type { Child, JSX } from 'hono/jsx'
import * as z from 'zod'
import type { AppWithCaller } from '../../http/endpoint.ts'
import { ApiError, type ErrorCode, errorStatus, type Issue } from '../../http/errors.ts'
import { invalidInput } from '../../http/validation.ts'
import type { Texts } from '../../texts/en.ts'
import { Icon } from './icon.tsx'
import { inTexts, type Rejection, usePage } from './request.ts'
import { type Query, refusalText, sentence } from './text.ts'

type Kind = 'normal' | 'primary' | 'small'

const classOf = (kind: Kind = 'normal') => (kind === 'normal' ? 'button' : `button ${kind}`)

type ButtonProps = { kind?: Kind; children: Child }

/** `action`: what the form is to do, if it has several buttons. */
export const Submit = ({ kind, action, children }: ButtonProps & { action?: string }) => (
  <button class={classOf(kind)} type="submit" {...(action && { name: 'action', value: action })}>
    {children}
  </button>
)

type LinkButtonProps = ButtonProps & { href: string; rel?: string }

export const LinkButton = ({ href, rel, kind, children }: LinkButtonProps) => (
  <a class={classOf(kind)} href={href} rel={rel}>
    {children}
  </a>
)

type PostButtonProps = ButtonProps & { action: string }

/** A button that sends a POST without fields. */
export const PostButton = ({ action, kind = 'small', children }: PostButtonProps) => (
  <form method="post" action={action} class="actions">
    <Submit kind={kind}>{children}</Submit>
  </form>
)

/** Hidden fields of a form. An empty one is left out. */
export const Hidden = ({ values }: { values: Query }) => (
  <>
    {Object.entries(values).map(
      ([name, value]) => value && <input type="hidden" name={name} value={String(value)} />,
    )}
  </>
)

type FieldProps = Omit<JSX.IntrinsicElements['input'], 'id' | 'name'> & {
  name: string
  label: string
  /** What is wrong with the value. By default it is why it was rejected. */
  problem?: string | undefined
  hint?: Child
  /** The number of its lines, if it has several. */
  rows?: number
}

/**
 * A labelled text field with its hint, or with its problem, which takes the focus. Its id is its name.
 * What was entered into a rejected form replaces `value`.
 */
export const Field = ({ name, label, hint, rows, value, ...props }: FieldProps) => {
  const { problem = useProblem(name), ...input } = props
  const entered = usePage().rejection?.values[name]
  const text = typeof entered === 'string' ? entered : value
  const describedBy = problem ? `${name}-problem` : hint ? `${name}-hint` : undefined
  const attributes = {
    id: name,
    name,
    ...input,
    ...(problem && { 'aria-invalid': 'true' as const, autofocus: true }),
    ...(describedBy && { 'aria-describedby': describedBy }),
  }
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {rows ? (
        <textarea rows={rows} {...attributes}>
          {text}
        </textarea>
      ) : (
        <input {...attributes} value={text} />
      )}
      {hint && !problem && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <Problem id={`${name}-problem`} text={problem} />
    </div>
  )
}

/** Returns why the value of a field was rejected. */
export function useProblem(name: string): string | undefined {
  const { rejection, texts } = usePage()
  const problem = rejection?.problems[name]
  return problem && inTexts(problem, texts)
}

type SelectProps = {
  name: string
  label: string
  /** The texts, by the values of the field. */
  options: Record<string, string>
  /** The value that is chosen at first. By default it is the first one. */
  selected?: string | undefined
}

export const Select = ({ name, label, options, selected }: SelectProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <select id={name} name={name}>
      {Object.entries(options).map(([value, text]) => (
        <option value={value} selected={value === selected}>
          {text}
        </option>
      ))}
    </select>
  </div>
)

type EmailFieldProps = {
  label: string
  value?: string | undefined
  autofocus?: boolean | undefined
}

/** The field `email` of a form that asks for a link. */
export const EmailField = (props: EmailFieldProps) => (
  <Field
    name="email"
    type="email"
    required
    maxlength={254}
    autocomplete="email"
    spellcheck={false}
    {...props}
  />
)

export const Problem = ({ id, text }: { id: string; text: string | undefined }) =>
  text ? (
    <p class="problem" id={id}>
      {text}
    </p>
  ) : null

type CopyFieldProps = { id: string; label: string; text: string; rows?: number }

/** A text to copy. `copy.js` shows the button. */
export const CopyField = ({ id, label, text, rows = 4 }: CopyFieldProps) => {
  const { copy } = usePage().texts
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} class="code" readonly rows={rows} spellcheck={false}>
        {text}
      </textarea>
      <p class="actions">
        <button class="button small" type="button" data-copy={id} hidden>
          <Icon name="copy" />
          {copy.button}
          <span class="visually-hidden">{copy.what(label)}</span>
        </button>
        <span class="status" role="status" />
      </p>
    </div>
  )
}

type ConfirmProps = {
  id: string
  label: Child
  /** What it acts on, said to screen readers after the label. */
  subject?: string
  title: string
  /** Where the form is sent. Without it, the button sends the form around it, as this `action`. */
  action: string | { value: string }
  submit: string
  dismiss?: string
  /** Whether the action takes nothing away. */
  isHarmless?: boolean
  /** Hidden fields of the form. */
  values?: Query
  children: Child
}

/**
 * A button that asks before it sends a form. Invoker commands open and close the dialog without a
 * script; `dialog.js` does it in browsers that do not know them.
 */
export const Confirm = (props: ConfirmProps) => {
  const { id, subject, action, isHarmless, values = {} } = props
  const { dismiss = usePage().texts.layout.cancel } = props
  const isPart = typeof action === 'object'
  const Frame = isPart ? 'div' : 'form'
  return (
    <>
      <button class="button small" type="button" {...command('show-modal', id)}>
        {props.label}
        {subject && <span class="visually-hidden"> {subject}</span>}
      </button>
      <dialog id={id} class="dialog" aria-labelledby={`${id}-title`}>
        <Frame {...(isPart ? { class: 'flow' } : { method: 'post', action })}>
          <Hidden values={values} />
          <h2 id={`${id}-title`}>{props.title}</h2>
          {props.children}
          <p class="actions end">
            <button class="button" type="button" {...command('close', id)}>
              {dismiss}
            </button>
            <button
              class={`button ${isHarmless ? 'primary' : 'danger'}`}
              type="submit"
              {...(isPart && { name: 'action', value: action.value })}
            >
              {props.submit}
            </button>
          </p>
        </Frame>
      </dialog>
    </>
  )
}

/** Attributes of an invoker command (HTML, "The button element"). */
const command = (name: 'show-modal' | 'close', id: string) => ({ command: name, commandfor: id })

/** What a message says, as its colour does: what is done, what goes on, what needs care. */
export type NoticeKind = 'done' | 'info' | 'warn'

type NoticeProps = { kind?: NoticeKind | undefined; children: Child }

/** A message about what has just happened. */
export const Notice = ({ kind = 'done', children }: NoticeProps) => (
  <p class={`notice ${kind}`} role="status">
    {children}
  </p>
)

/** Why what was sent is not possible. */
export const Warning = ({ children }: { children: Child }) => (
  <p class="notice warn" role="alert">
    {children}
  </p>
)

/** Whether a checkbox is ticked. Browsers send no field for one that is not. */
export const checkbox = z.literal('on').optional().transform(Boolean)

/** Returns what the schema makes of what was entered. Throws `invalid_input`. */
export function parseForm<T>(schema: z.ZodType<T>, values: unknown): T {
  const result = schema.safeParse(values)
  if (!result.success) throw invalidInput(result.error.issues)
  return result.data
}

/** Errors that the user corrects in the form. The others have a page of their own. */
const corrigible: readonly ErrorCode[] = [
  'invalid_input',
  'invalid_character',
  'conflict',
  'confirmation_required',
  'amount_too_small',
  'network_not_found',
  'content_full',
  'content_missing',
  'seller_not_approved',
  'wallet_required',
  'not_held',
  'mint_not_permitted',
  'not_deliverable',
  'too_many_addresses',
  'payload_too_large',
  'unsupported_media_type',
  'username_taken',
  'not_a_creator',
  'wallet_required',
  'not_held',
  'mint_not_permitted',
  'not_deliverable',
  'withdrawn',
  'token_taken',
  'cannot_change',
  'nft_not_found',
]

function describeIssue(issue: Issue, field: string, value: unknown, texts: Texts): string {
  const { problems } = texts
  if (!problems || issue.code !== 'invalid_input')
    return refusalText(texts, issue) ?? sentence(issue.message)
  if (typeof value === 'string' && value.trim() === '') return problems.required
  const fields: Partial<Record<string, string>> = problems.fields
  return fields[field] ?? problems.invalid
}

type Show<I> = (c: Context<AppWithCaller>, input: I) => Response | Promise<Response>

/**
 * Returns a handler of a form that answers with the page of the form if it is rejected: with the
 * first problem of each field. `field` is that of a problem that names none.
 */
export const handleForm =
  <I extends { param?: unknown; form?: Rejection['values'] }>(
    showForm: Show<NoInfer<I>>,
    field: string,
    handle: Show<I>,
  ) =>
  async (c: Context<AppWithCaller>, input: I): Promise<Response> => {
    try {
      return await handle(c, input)
    } catch (error) {
      if (!(error instanceof ApiError) || !corrigible.includes(error.code)) throw error
      const values = input.form ?? {}
      const problems: Rejection['problems'] = {}
      for (const issue of error.issues) {
        const name = /^\w+/.exec(issue.path)?.[0] ?? field
        problems[name] ??= (texts) => describeIssue(issue, name, values[name], texts)
      }
      c.set('rejection', { values, problems, status: errorStatus[error.code] })
      return showForm(c, input)
    }
  }
