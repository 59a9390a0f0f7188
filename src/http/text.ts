// Not seen. Joiners, the vowel separator of Mongolian and tags of flags change what is beside them.
const invisible =
  /[[[\p{Cf}&&\p{DI}][\x80-\x84\x86-\x9F]]--[\u180E\u200C\u200D\u{E0020}-\u{E007F}]]|[\u200C\u200D]+(?=\s*$)/gv

const lineEnds = /[\n\v\f\r\x85\u2028\u2029]+/

// The last one is the empty cell of Braille.
const visible = /[^\p{Cf}\p{Z}\p{DI}\u2800]/u

/**
 * Returns a text as one line without invisible characters, in which each blank is a space. `lineEnd`
 * replaces the ends of lines. A text that shows nothing becomes empty.
 */
export function toLine(text: string, lineEnd = ' '): string {
  const line = text
    .replace(invisible, '')
    .split(lineEnds)
    .map((part) => part.replace(/\s/g, ' ').trim())
    .filter(Boolean)
    .join(lineEnd)
  return visible.test(line) ? line : ''
}

/**
 * Returns a text of somebody unknown, or its first characters, as one line: control characters become blanks.
 * It is cut before anything else, because a pattern could take a time that grows with the square of the length.
 */
export const cutToLine = (text: string, max: number): string =>
  toLine(
    text
      .slice(0, max)
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' '),
  )

/** Whether a text shows something, and each of its characters is seen or changes what is beside it. */
export const isSeen = (text: string): boolean => visible.test(text) && text.search(invisible) < 0

/** Returns an e-mail address with its domain in ASCII (punycode), as browsers send it. */
export const toAsciiDomain = (email: string): string =>
  email.replace(
    /(?<=@)(?:[\w.-]|\P{ASCII})*\P{ASCII}(?:[\w.-]|\P{ASCII})*$/u,
    (domain) => URL.parse(`http://${domain}`)?.hostname ?? domain,
  )

/** Returns the URL that writes to an e-mail address, whose local part may have what means something in a URL. */
export const mailtoUrl = (email: string): string =>
  `mailto:${encodeURIComponent(email).replace('%40', '@')}`
