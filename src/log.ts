/**
 * The log: one JSON object a line, with a stable `event` name. Never log secrets, personal data or
 * the values of a statement. Pass errors as they are: the log writes only what is safe of them.
 */
import { DrizzleQueryError } from 'drizzle-orm/errors'

type Fields = Record<string, unknown>

/** Id of the deployed version. Commands that run parts of the Worker have none. */
let version: string | undefined

/** Sets the version of the Worker that each line of the log names. */
export function setLogVersion(id: string): void {
  version = id
}

export const log = {
  /** A step that was taken. */
  info: (event: string, fields: Fields = {}): void => console.log(formatLine(event, fields)),

  /** Something that an operator should look at. */
  error: (event: string, fields: Fields = {}): void => console.error(formatLine(event, fields)),
}

const formatLine = (event: string, fields: Fields): string =>
  JSON.stringify({ event, ...fields, version }, (_key, value) =>
    value instanceof Error ? errorText(value) : value,
  )

/**
 * Returns name and message of an error and of its causes. The message of a `DrizzleQueryError` has
 * the values of the statement, so only its name is given.
 */
export function errorText(error: Error): string {
  const text = error instanceof DrizzleQueryError ? 'DrizzleQueryError' : String(error)
  return error.cause instanceof Error ? `${text}, caused by ${errorText(error.cause)}` : text
}

/** Returns where an error was thrown: its stack without the message, one call a line. */
export function stackFrames({ stack = '', message }: Error): string {
  const start = stack.indexOf(message)
  return start < 0 ? '' : stack.slice(start + message.length).trim()
}
