import { guides } from '../../src/pages/docs/layout.tsx'

/** Leads from a guide to the one after it. */
export const NextGuide = ({ path }: { path: keyof typeof guides }) => (
  <p class="next-guide">
    Next: <a href={path}>{guides[path].title}</a>
  </p>
)
