/** A check on which a promise rests, and the change that removes it. See `test/README.md`. */
export type Guard = {
  /** What the check prevents or ensures, as a sentence. */
  name: string
  file: string
  /** Part of the file. Occurs there exactly once. */
  text: string
  /** Replaces `text`. The file must still load, so that tests run and one of them fails. */
  broken: string
  /** The test file that must notice. */
  test: string
  /** Part of the titles of the tests that are run, as it is in the test file. */
  title: string
}
