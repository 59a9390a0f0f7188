import type { Child } from 'hono/jsx'
import { usePage } from './request.ts'

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
  values?: Record<string, string | undefined>
  children: Child
}

/**
 * A button that asks before it sends a form. Invoker commands open and close the dialog without a
 * script; `dialog.js` does it in browsers that do not know them.
 */
export const Confirm = (props: ConfirmProps) => {
  const {
    id,
    subject,
    action,
    dismiss = usePage().texts.layout.cancel,
    isHarmless,
    values = {},
  } = props
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
          {Object.entries(values).map(
            ([name, value]) => value && <input type="hidden" name={name} value={value} />,
          )}
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
