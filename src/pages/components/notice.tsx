import type { Child } from 'hono/jsx'

/** A message about what has just happened. */
export const Notice = ({ children }: { children: Child }) => (
  <p class="notice" role="status">
    {children}
  </p>
)

/** Why what was sent is not possible. */
export const Warning = ({ children }: { children: Child }) => (
  <p class="notice warn" role="alert">
    {children}
  </p>
)
