import * as lucide from './icons.ts'

const icons = { ...lucide }

export type IconName = keyof typeof icons

/** A picture beside text that says the same, so screen readers skip it. `size` is in pixels. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {icons[name].map(([Tag, attributes]) => (
      <Tag {...attributes} />
    ))}
  </svg>
)
