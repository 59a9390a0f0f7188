import { toLine } from '../http/text.ts'

/** Characters of a title as people count them (grapheme clusters). */
const MAX_TITLE = 60

/** Text with letters of scripts that run from right to left. */
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Samaritan}]/u

/**
 * Returns a title, or what else somebody has written, to be quoted: short, on one line, without quotation marks, and
 * nothing that becomes a link.
 */
export function quotable(text: string, max = MAX_TITLE): string {
  const visible = toLine(text.replaceAll(/[“”„«»]+/g, ' ')).replaceAll(/ +/g, ' ')
  const graphemes = [...new Intl.Segmenter().segment(visible)].map(({ segment }) => segment)
  const short = graphemes.length > max ? `${graphemes.slice(0, max - 1).join('')}…` : visible
  // Programs that read mails make links of what looks like one, unless it is interrupted (U+200B).
  const unlinked = short.replaceAll(/[.:/@。．｡](?=\S)/g, '$&\u200B')
  // Isolated (U+2068 to U+2069), so that the text around it keeps its direction.
  return rightToLeft.test(unlinked) ? `\u2068${unlinked}\u2069` : unlinked
}
