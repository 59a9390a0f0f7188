/** Sends the codes of a file, in calls that the API takes. */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { findCodes } from '../../../src/content/codes.ts'
import { contentLimits } from '../../../src/limits.ts'
import { formatCount, plural } from '../../../src/pages/components/text.ts'
import { CommandError } from '../../shell/command.ts'
import { withInstance } from '../../shell/instance.ts'
import { hideProgress, showProgress } from './report.ts'

type Request = { file: string; nft: string; environment: string | undefined }

/** Codes of a call: at most 200 characters each, so that a call has less than 4 MiB. */
const CODES_OF_CALL = Math.min(
  contentLimits.codeLines.max,
  Math.floor(contentLimits.codeBody.max / (4 * contentLimits.code.max + 1)),
)

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch(({ code }) => {
    throw new CommandError(`${file} cannot be read: ${code}.`)
  })
  if (!isUtf8(bytes)) throw new CommandError(`${file} is not valid UTF-8.`)
  return bytes.toString()
}

export async function sendCodes({ file, nft, environment }: Request): Promise<void> {
  const { codes, issues } = findCodes(await readText(file))
  const [problem] = issues
  if (problem) throw new CommandError(`${file}: ${problem.path} ${problem.message}`)
  if (codes.length === 0) throw new CommandError(`${file} has no codes.`)
  await withInstance(environment, async (client) => {
    let added = 0
    for (let sent = 0; sent < codes.length; sent += CODES_OF_CALL) {
      const body = new Blob([codes.slice(sent, sent + CODES_OF_CALL).join('\n')])
      const stored = await client.storeCodes({ nft: `externalId:${nft}`, body })
      added += stored.added
      showProgress(Math.min(1, (sent + CODES_OF_CALL) / codes.length), 'codes')
    }
    hideProgress()
    const { forSale, owed } = await client.countCodes({ nft: `externalId:${nft}` })
    console.log(
      `Added ${plural(added, 'code')}; ${formatCount(codes.length - added)} were there. ${plural(forSale, 'piece')} of ${nft} can be sold${owed > 0 ? `, and ${plural(owed, 'order')} still lack codes` : ''}.`,
    )
  })
}
