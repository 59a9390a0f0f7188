/** `npm run codes -- FILE --nft ID`: adds codes to an NFT, one for each piece. */
import { defineCommand, start, UsageError } from '../shell/command.ts'
import { instanceOptions, instanceVariables, parseInstance } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run codes',
    purpose:
      'Adds the codes of a file to an NFT whose record has `content.codes`: so many pieces more are sold. Codes that are there are left out, so the same file can be sent again.',
    file: { value: 'FILE', help: 'A code a line, in UTF-8.' },
    options: {
      nft: { value: 'ID', help: 'Required: the id of the record of the NFT.' },
      ...instanceOptions,
    },
    variables: instanceVariables,
    example: 'npm run codes -- codes.txt --nft concert-1',
  },
  async ({ nft, ...instance }, file: string) => {
    if (nft === undefined) throw new UsageError('Name the NFT: --nft ID.')
    const environment = parseInstance(instance)
    const { sendCodes } = await import('./catalogue/send-codes.ts')
    await sendCodes({ file, nft, environment })
  },
)

if (import.meta.main) await start(command)
