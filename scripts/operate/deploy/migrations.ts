/** Which migrations the Worker that is running would notice. */

/**
 * Statements that take away or change what a running Worker may use. The view and the triggers
 * belong to it too: batches stop themselves with them.
 */
const BREAKING = [
  /\bDROP\s+(TABLE|VIEW|TRIGGER|COLUMN)\b/i,
  /\bRENAME\b/i,
  /\bADD\b(?=.*\bNOT\s+NULL\b)(?!.*\bDEFAULT\b)/is,
]

/** A reason, written in the migration, why the running Worker does not notice the statement. */
const ALLOWED = /^\s*-- compatible: \S/m

/**
 * Returns the statements of a migration that a running Worker would notice: their lines, and how
 * they begin. A comment `-- compatible: <why>` before a statement allows it.
 */
export function findBreakingStatements(sql: string): { line: number; text: string }[] {
  let line = 1
  return sql.split(/(?<=;)(?=\s*(?:\n|--|$))|(?<=--> statement-breakpoint)/).flatMap((part) => {
    const before = /^(\s|--.*)*/.exec(part)?.[0] ?? ''
    const text = part.slice(before.length)
    const start = line + before.split('\n').length - 1
    line += part.split('\n').length - 1
    const code = text.replaceAll(/--.*|'[^']*'|"[^"]*"|`[^`]*`/g, (match) =>
      match.startsWith('--') ? '' : 'x',
    )
    const isBreaking = BREAKING.some((pattern) => pattern.test(code)) && !ALLOWED.test(before)
    return isBreaking ? [{ line: start, text: text.split('\n')[0] ?? '' }] : []
  })
}
