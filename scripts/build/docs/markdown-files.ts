/** The documents of `/docs` as Markdown, for programs, and `llms.txt`, which lists them. */
import { documents, FILE_URL, readDocument } from './pages.ts'

/** Returns each document as Markdown, by its path, and `/llms.txt` (https://llmstxt.org). */
export async function renderMarkdownFiles(): Promise<Record<string, string>> {
  const files = await Promise.all(
    Object.entries(documents).map(
      async ([path, file]) => [`${path}.md`, await readDocument(file, urlOf)] as const,
    ),
  )
  const byPath = Object.fromEntries(files)
  return { ...byPath, '/llms.txt': llmsText(byPath['/docs.md'] ?? '') }
}

/** `/docs/errors` → `http://localhost:8787/docs/errors.md`. */
const urlOf = (path: string): string => `${FILE_URL}${path}${path in documents ? '.md' : ''}`

/** The overview lists the guides, and says what each is about. */
function llmsText(overview: string): string {
  const [title, summary] = overview.split('\n\n')
  const list = overview.split('\n').filter((line) => line.startsWith('- ['))
  return `${title}

> ${summary}

The base URL is ${FILE_URL}. Programs send a token as \`Authorization: Bearer <token>\`, and branch on \`code\` of errors.

## Guides

${list.join('\n')}

## Reference

- [OpenAPI document](${FILE_URL}/openapi.json): every operation, event, field and error, with examples.
- [Overview](${FILE_URL}/docs.md): base URL, tokens, headers and limits.

## Optional

- [Catalogue](${FILE_URL}/docs/catalogue.md): for operators, how NFTs and listings are imported.
- [Runbook](${FILE_URL}/docs/runbook.md): for operators, what each alarm means.
`
}
