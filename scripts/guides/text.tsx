/** Text with names of fields and headers between backticks. */
export const Text = ({ children }: { children: string | string[] }) => (
  <>
    {[children]
      .flat()
      .join('')
      .split('`')
      .map((part, i) => (i % 2 === 0 ? part : <code class="code">{part}</code>))}
  </>
)
