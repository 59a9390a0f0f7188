/** `npm run replay`: announces again every transfer on which the queue gave up. */
import { rememberedUrl } from './local/paths.ts'
import { command, Failure, optionsOf } from './shell/command.ts'
import { replayDeadLetters } from './transfers/replay.ts'

const USAGE = `usage: npm run replay -- [--url <instance>] [--token <master token>]
The token may be in MARKETPLACE_TOKEN instead; \`npm run --silent token -- --master\` prints one.`

await command(async () => {
  const { url, token } = optionsOf({ url: { type: 'string' }, token: { type: 'string' } }, USAGE)
  const base = url ?? (await rememberedUrl())
  const master = token ?? process.env.MARKETPLACE_TOKEN
  if (!base || !master) throw new Failure(USAGE)
  const replayed = await replayDeadLetters(base, master, (line) => console.log(line))
  console.log(`${replayed} announced again.`)
})
