/**
 * The log: one JSON object a line, with a stable `event` name. Never log secrets, personal data or
 * the values of a statement.
 */
type Fields = Record<string, unknown>

export const log = {
  /** A step that was taken. */
  info: (event: string, fields: Fields = {}): void =>
    console.log(JSON.stringify({ event, ...fields })),

  /** Something that an operator should look at. */
  error: (event: string, fields: Fields = {}): void =>
    console.error(JSON.stringify({ event, ...fields })),
}
