import { Icon } from './icon.tsx'

type CopyFieldProps = { id: string; label: string; text: string; rows?: number }

/** A text to copy. `copy.js` shows the button. */
export const CopyField = ({ id, label, text, rows = 4 }: CopyFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <textarea id={id} class="code" readonly rows={rows} spellcheck={false}>
      {text}
    </textarea>
    <p class="actions">
      <button class="button small" type="button" data-copy={id} hidden>
        <Icon name="copy" />
        Copy<span class="visually-hidden"> the text of “{label}”</span>
      </button>
      <span class="status" role="status" />
    </p>
  </div>
)
