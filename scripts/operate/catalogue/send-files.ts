/** Sends the files of NFTs that an instance does not have. */
import { openAsBlob } from 'node:fs'
import { createClient, type MarketplaceClient } from '../../../client/src/index.ts'
import { HOUR, MINUTE } from '../../../src/time.ts'
import { CommandError } from '../../shell/command.ts'
import { linesIn } from '../../shell/files.ts'
import { described, type Instance } from '../../shell/instance.ts'
import { findFile } from './local-files.ts'
import { hideProgress, showProgress } from './report.ts'

/** Calls at a time. */
const AT_ONCE = 4
const ATTEMPTS = 8
/** A file of 95 MiB takes so long at 170 KB a second. */
const TIMEOUTS = { timeout: HOUR, attemptTimeout: 10 * MINUTE }

/**
 * Sends the files that are missing of the NFTs of a catalogue, if there is a folder with them. Returns their
 * number; null if the NFTs have no files. Every line must be a record or blank.
 */
export async function sendFiles(
  lines: string,
  folder: string | undefined,
  { url, token }: Instance,
): Promise<number | null> {
  const nfts: string[] = []
  for await (const line of linesIn(lines)) {
    const { id, content } = JSON.parse(line.trim() || '{}')
    if (content?.files?.length > 0) nfts.push(id)
  }
  if (nfts.length === 0) return null
  const client = createClient({ url, token, retry: { attempts: ATTEMPTS } })
  try {
    const missing = (await inTurns(nfts, (nft) => findMissing(client, nft))).flat()
    if (folder) await sendAll(client, missing, folder)
    return missing.length
  } catch (error) {
    throw described(error, url, 'Run the command again to go on.')
  } finally {
    hideProgress()
  }
}

/** Returns the files of an NFT that the instance does not have. */
async function findMissing(client: MarketplaceClient, nft: string) {
  const { files } = await client.listContentFiles({ nft: `externalId:${nft}` })
  const missing = files.filter(({ state }) => state === 'missing')
  return missing.map(({ name, bytes }) => ({ nft, name, bytes }))
}

type Missing = Awaited<ReturnType<typeof findMissing>>[number]

async function sendAll(client: MarketplaceClient, missing: readonly Missing[], folder: string) {
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  let sent = 0
  await inTurns(missing, async ({ nft, name, bytes }) => {
    const path = await findFile(folder, nft, name)
    if (!path) throw new CommandError(`${folder} has no file ${name} of ${nft} any more.`)
    const body = await openAsBlob(path)
    await client.storeContentFile({ nft: `externalId:${nft}`, name, body }, TIMEOUTS)
    sent += bytes
    showProgress(sent / total, 'files')
  })
}

/** Works on some items at a time. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += AT_ONCE)
    results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(work))))
  return results
}
