/** A check on which a promise rests, and how it is broken. See `test/README.md`. */
export type Guard = {
  /** What the check prevents or ensures, as a sentence. */
  name: string
  /** The file, and the function, method, constant or table in it that has the check. */
  code: `${string}: ${string}`
  broken: Broken
  /** The test file that must notice, and part of the titles of the tests in it that are run. */
  test: `${string}: ${string}`
}

/**
 * What is broken: the smallest part of the function that mentions all these words. The file must still
 * load, so that tests run and one of them fails.
 */
export type Broken =
  /** A condition always has this value. Null: what `??` asks for is not there. */
  | { condition: string; becomes: boolean | null }
  /** A statement, an element of a list, a property or a modifier is left out. */
  | { without: string }
  /** A call is not made: its first argument is the result. */
  | { call: string }

/** Splits `code` and `test` of a guard. */
export function readGuard({ code, test }: Pick<Guard, 'code' | 'test'>) {
  const [file, functionName] = split(code)
  const [testFile, title] = split(test)
  return { file, functionName, testFile, title }
}

function split(text: string): [string, string] {
  const end = text.indexOf(': ')
  return [text.slice(0, end), text.slice(end + 2)]
}
