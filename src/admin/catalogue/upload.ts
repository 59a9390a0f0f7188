/** The file of a catalogue that an administrator has chosen. */
import type { Context } from 'hono'
import { bufferToFormData } from 'hono/utils/buffer'
import { decodeSpreadsheet, isSpreadsheet, parseSpreadsheet } from '../../catalogue/csv.ts'
import { splitLines } from '../../catalogue/line.ts'
import { bodyReader } from '../../http/body.ts'
import { ApiError, invalidField } from '../../http/errors.ts'
import { catalogueLimits, describeLimit } from '../../limits.ts'

const { body, importLines } = catalogueLimits

const readForm = bodyReader(
  body.max,
  `a file may have at most ${describeLimit(body)} here: \`npm run import\` divides a larger one`,
)

/** Returns the lines of the file, and what is wrong with the cells of a spreadsheet. */
export async function readUpload(c: Context) {
  const bytes = await readForm(c)
  const contentType = c.req.header('content-type') ?? ''
  const form = await bufferToFormData(bytes, contentType).catch(() => null)
  const file = form?.get('file')
  if (!(file instanceof File) || file.size === 0) throw invalidField('file', 'choose a file')
  const text = decodeSpreadsheet(new Uint8Array(await file.arrayBuffer()))
  if (text === null)
    throw invalidField('file', 'is neither UTF-8 nor UTF-16: save it as "CSV UTF-8"')
  const { lines, problems: cells } = isSpreadsheet(file.name)
    ? parseSpreadsheet(text)
    : { lines: splitLines(text), problems: [] }
  if (lines.length > importLines.max)
    throw new ApiError(
      'payload_too_large',
      `a file may have at most ${importLines.max} lines here: \`npm run import\` divides a larger one`,
    )
  if (cells.length === 0 && lines.every((line) => line.trim() === ''))
    throw invalidField('file', 'has no records')
  return { lines, cells, name: file.name }
}
