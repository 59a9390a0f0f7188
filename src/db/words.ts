/** Words of titles and names, so that a search finds each of them by its beginning. */
import { type SQL, sql } from 'drizzle-orm'
import { MAX_CANDIDATES } from './candidates.ts'
import type { Database } from './client.ts'
import type { SubjectKind } from './schema/catalogue.ts'
import { raw } from './statements.ts'

/** Characters of a word that are stored and compared. */
const MAX_LENGTH = 40

/** Words that a search compares. */
const MAX_SEARCHED = 8

/** Returns the different words of texts, without case and accents: `['etude', 'no', '7']`. */
export function wordsOf(...texts: readonly (string | null | undefined)[]): string[] {
  // The detour makes `ss` of `ß`, and one letter of the Greek sigmas.
  const folded = texts.join(' ').toUpperCase().toLowerCase().normalize('NFKD')
  const words = folded.replaceAll(/\p{M}/gu, '').match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.map((word) => [...word].slice(0, MAX_LENGTH).join('')))]
}

/**
 * Returns what is searched for, as JSON: for each word the first and the last word that begin with it. A
 * single character has to be the whole word.
 */
export function searchedWords(text: string): string {
  const words = wordsOf(text).slice(0, MAX_SEARCHED)
  const ranges = words.map((word) => [word, word.length > 1 ? `${word}\u{10FFFF}` : word])
  return JSON.stringify(ranges)
}

const kindSql = (kind: SubjectKind) => sql.raw(`kind = '${kind}'`)

/** Selects the ids of those that have the rarest of the searched words, as far as a call looks. */
export const selectWithWord = (kind: SubjectKind, searched: string | null): SQL =>
  sql`SELECT DISTINCT subjectId AS id FROM (SELECT value ->> 0 AS low, value ->> 1 AS high
      FROM json_each(${searched}) ORDER BY (SELECT count(*) FROM (SELECT 1 FROM words
        WHERE ${kindSql(kind)} AND word BETWEEN value ->> 0 AND value ->> 1 LIMIT ${MAX_CANDIDATES + 1})) LIMIT 1)
    CROSS JOIN words ON ${kindSql(kind)} AND word BETWEEN low AND high`

/** Whether the subject with an id has all searched words. */
export const hasWordsSql = (kind: SubjectKind, id: SQL, searched: string | null): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM json_each(${searched}) s WHERE NOT EXISTS (SELECT 1 FROM words
    WHERE ${kindSql(kind)} AND subjectId = ${id} AND word BETWEEN s.value ->> 0 AND s.value ->> 1))`

/** The statements that make these the words of a subject. They write only what differs. */
export function setWords(db: Database, kind: SubjectKind, id: number, words: readonly string[]) {
  const json = JSON.stringify(words)
  return [
    raw<never>(db)`DELETE FROM words WHERE ${kindSql(kind)} AND subjectId = ${id}
      AND word NOT IN (SELECT value FROM json_each(${json}))`,
    raw<never>(db)`INSERT INTO words (kind, word, subjectId)
      SELECT ${kind}, value, ${id} FROM json_each(${json}) WHERE TRUE ON CONFLICT DO NOTHING`,
  ]
}
