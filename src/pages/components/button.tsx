import type { Child } from 'hono/jsx'

type Kind = 'normal' | 'primary' | 'small'

const classOf = (kind: Kind = 'normal') => (kind === 'normal' ? 'button' : `button ${kind}`)

export const Submit = ({ kind, children }: { kind?: Kind; children: Child }) => (
  <button class={classOf(kind)} type="submit">
    {children}
  </button>
)

type LinkButtonProps = { href: string; kind?: Kind; children: Child }

export const LinkButton = ({ href, kind, children }: LinkButtonProps) => (
  <a class={classOf(kind)} href={href}>
    {children}
  </a>
)

type PostButtonProps = { action: string; kind?: Kind; children: Child }

/** A button that sends a POST without fields. */
export const PostButton = ({ action, kind = 'small', children }: PostButtonProps) => (
  <form method="post" action={action} class="actions">
    <Submit kind={kind}>{children}</Submit>
  </form>
)
