/** The codes of NFTs in a restored database: some may have been given since the backup. */
import { plural } from '../../../src/pages/components/text.ts'

/**
 * The statements that empty the pools, so that nothing of these NFTs is sold before new codes are uploaded.
 * docs/runbook.md has them, too, for Time Travel.
 */
export const stopCodes = [
  'DELETE FROM codes WHERE orderItemId IS NULL',
  "UPDATE nfts SET amount = amount - availableAmount, availableAmount = 0, updatedAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), changedAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE hasCodes = 1",
]

type Execute = (...args: string[]) => Promise<string>

/** Stops the sale of NFTs with codes. Says how many they are; '' if there are none. */
export async function stopSaleOfCodes(execute: Execute): Promise<string> {
  const count = 'SELECT count(*) AS nfts FROM nfts WHERE hasCodes = 1'
  const [{ results }] = JSON.parse(await execute('--json', '--command', count))
  const { nfts } = results[0]
  if (nfts === 0) return ''
  for (const statement of stopCodes) await execute('--command', statement)
  return `Codes that were given since the backup would be given again, so ${plural(nfts, 'NFT')} with codes ${nfts === 1 ? 'is' : 'are'} not sold before new ones are there. docs/runbook.md says what to do: "Codes missing".`
}
