/** The files of NFTs. A backup has what the database says of them, and not their bytes. */
import { sql } from 'drizzle-orm'
import { formatCount, plural } from '../../../src/pages/components/text.ts'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { accountUrl, callApi, oneLineReason } from '../cloudflare/account.ts'
import { readEnvironment } from '../cloudflare/environment.ts'
import { withDatabase } from '../database/source.ts'

/** Files that are printed. */
const SHOWN = 20

type File = [key: string, bytes: number, nft: string, name: string]

/** Returns the files that the database says are stored. */
const readFiles = (environment: string | undefined): Promise<File[]> =>
  withDatabase(environment, (db) =>
    db.values<File>(sql`SELECT key, bytes, externalId, name
      FROM contentFiles JOIN nfts ON nfts.id = nftId WHERE state = 'stored' ORDER BY nftId, place`),
  )

/** Says what a backup lacks; '' if that is nothing. */
export async function describeLeftOut(environment: string | undefined): Promise<string> {
  const files = await readFiles(environment).catch(returnCommandError)
  if (files instanceof CommandError)
    return `The files of NFTs are not in it, and could not be counted: ${oneLineReason(files)}`
  const bytes = files.reduce((sum, [, size]) => sum + size, 0)
  return files.length === 0
    ? ''
    : `Not in it: ${plural(files.length, 'file')} of NFTs with ${formatCount(bytes)} bytes. docs/deploying.md says how to keep them.`
}

/** Names the files of a restored database that are not in the bucket; `''` if all are there. */
export async function describeLost(environment: string): Promise<string> {
  const files = await readFiles(environment)
  if (files.length === 0) return ''
  const hint = 'docs/runbook.md says what to do: "Files of NFTs are missing".'
  const keys = await listObjects(environment).catch(returnCommandError)
  if (keys instanceof CommandError)
    return `It has ${plural(files.length, 'file')} of NFTs. Whether the bucket has them, too, is not known: ${keys.message} ${hint}`
  const lost = files.filter(([key]) => !keys.has(key))
  if (lost.length === 0) return ''
  return [
    `The bucket lacks ${plural(lost.length, 'file')} of NFTs. ${hint}`,
    ...lost.slice(0, SHOWN).map(([, , nft, name]) => `  ${nft}: ${name}`),
    ...(lost.length > SHOWN ? [`  and ${lost.length - SHOWN} more`] : []),
  ].join('\n')
}

type Page = { result: { key: string }[]; result_info?: { cursor?: string } }

/**
 * Returns the keys of the objects. Throws a `CommandError`.
 * https://developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/objects/methods/list
 */
async function listObjects(environment: string): Promise<Set<string>> {
  const settings = readEnvironment(environment)
  const bucket = settings.buckets.find(({ binding }) => binding === 'CONTENT')
  const url = new URL(`${await accountUrl(settings)}/r2/buckets/${bucket?.name}/objects`)
  url.searchParams.set('per_page', '1000')
  const headers: HeadersInit = bucket?.jurisdiction
    ? { 'cf-r2-jurisdiction': bucket.jurisdiction }
    : {}
  const keys = new Set<string>()
  let cursor: string | undefined
  do {
    if (cursor) url.searchParams.set('cursor', cursor)
    const answer = await callApi(url.href, { headers })
    const page = (await answer.json()) as Page
    for (const { key } of page.result) keys.add(key)
    cursor = page.result_info?.cursor
  } while (cursor)
  return keys
}
