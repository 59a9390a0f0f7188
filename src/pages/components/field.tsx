import type { Child, JSX } from 'hono/jsx'
import { Icon } from './icon.tsx'
import { usePage } from './request.ts'

type FieldProps = Omit<JSX.IntrinsicElements['input'], 'id' | 'name'> & {
  name: string
  label: string
  /** What is wrong with the value. By default it is why it was rejected. */
  problem?: string | undefined
  hint?: Child
}

/**
 * A labelled text field with its hint, or with its problem, which takes the focus. Its id is its name.
 * What was entered into a rejected form replaces `value`.
 */
export const Field = ({ name, label, hint, ...props }: FieldProps) => {
  const { values = {}, problems = {} } = usePage().rejection ?? {}
  const { problem = problems[name], ...input } = props
  const entered = values[name]
  const describedBy = problem ? `${name}-problem` : hint ? `${name}-hint` : undefined
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        {...input}
        {...(typeof entered === 'string' && { value: entered })}
        {...(problem && { 'aria-invalid': 'true', autofocus: true })}
        {...(describedBy && { 'aria-describedby': describedBy })}
      />
      {hint && !problem && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <Problem id={`${name}-problem`} text={problem} />
    </div>
  )
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

/** Messages of the API have no capital letter and no full stop. */
export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

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
