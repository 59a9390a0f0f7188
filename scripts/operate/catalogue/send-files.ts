/** Sends the files of NFTs that an instance does not have. */
import { openAsBlob } from 'node:fs'
import { createClient } from '../../../client/src/index.ts'
import { findNamed, markStored, selectVersions } from '../../../src/content/upload.ts'
import { batch } from '../../../src/db/batch.ts'
import { HOUR, MINUTE } from '../../../src/time.ts'
import { localNow } from '../../local/clock.ts'
import { CommandError } from '../../shell/command.ts'
import { linesIn } from '../../shell/files.ts'
import { described, type Instance } from '../../shell/instance.ts'
import { retryWhileBusy } from '../database/busy.ts'
import { openMigratedDatabase } from '../database/local.ts'
import { findFile } from './local-files.ts'
import { hideProgress, showProgress } from './report.ts'

/** Calls at a time. */
const AT_ONCE = 4
const ATTEMPTS = 8
/** A file of 95 MiB takes so long at 170 KB a second. */
const TIMEOUTS = { timeout: HOUR, attemptTimeout: 10 * MINUTE }

/** A file that an instance does not have. */
type Missing = { nft: string; name: string; bytes: number; send: (content: Blob) => Promise<void> }

type FindMissing = (nft: string) => Promise<Missing[]>

/**
 * Sends the files that are missing of the NFTs of a catalogue, if there is a folder with them. Returns their
 * number; null if the NFTs have no files. Every line must be a record or blank.
 */
export async function sendFiles(
  lines: string,
  folder: string | undefined,
  instance: Instance | null,
): Promise<number | null> {
  const nfts: string[] = []
  for await (const line of linesIn(lines)) {
    const { id, content } = JSON.parse(line.trim() || '{}')
    if (content?.files?.length > 0) nfts.push(id)
  }
  if (nfts.length === 0) return null
  const work = async (findMissing: FindMissing) => {
    const missing = (await inTurns(nfts, findMissing)).flat()
    const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
    let sent = 0
    if (folder)
      await inTurns(missing, async ({ nft, name, bytes, send }) => {
        const path = await findFile(folder, nft, name)
        if (!path) throw new CommandError(`${folder} has no file ${name} of ${nft} any more.`)
        await send(await openAsBlob(path))
        sent += bytes
        showProgress(sent / total, 'files')
      })
    hideProgress()
    return missing.length
  }
  return instance ? onRemote(instance, work) : onLocal(work)
}

/** Works on some items at a time. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += AT_ONCE)
    results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(work))))
  return results
}

async function onRemote<T>(
  { url, token }: Instance,
  work: (findMissing: FindMissing) => Promise<T>,
): Promise<T> {
  const client = createClient({ url, token, retry: { attempts: ATTEMPTS } })
  try {
    return await work(async (id) => {
      const nft = `externalId:${id}`
      const { files } = await client.listContentFiles({ nft })
      return files
        .filter(({ state }) => state === 'missing')
        .map(({ name, bytes }) => ({
          ...{ nft: id, name, bytes },
          send: async (body) => {
            await client.storeContentFile({ nft, name, body }, TIMEOUTS)
          },
        }))
    })
  } catch (error) {
    throw described(error, url, 'Run the command again to go on.')
  }
}

/** Like the database, the bucket can be opened while `npm run dev` is running. */
async function onLocal<T>(work: (findMissing: FindMissing) => Promise<T>): Promise<T> {
  await using local = await openMigratedDatabase()
  const { db, env } = local
  const now = await localNow()
  return await work(async (nft) => {
    const { rows } = await retryWhileBusy(() => batch(db, { rows: selectVersions(db, nft) }))
    const files = await retryWhileBusy(() => findNamed(env.CONTENT, rows))
    return files
      .filter(({ state }) => state === 'missing')
      .map(({ key, nftId, name, bytes, sha256 }) => ({
        ...{ nft, name, bytes },
        send: async (content) => {
          // The bucket takes no stream from here.
          const body = await content.arrayBuffer()
          await retryWhileBusy(() => env.CONTENT.put(key, body, { sha256 }))
          await retryWhileBusy(() => batch(db, markStored(db, { key, nftId, name }, now)))
        },
      }))
  })
}
