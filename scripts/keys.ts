/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import { randomBytes } from 'node:crypto'
import { generateSigningKey } from '../src/auth/tokens.ts'
import { CommandError, runCommand } from './shell/command.ts'

const USAGE = `usage: npm run --silent keys -- jwt | delivery
  jwt       a value of JWT_KEYS
  delivery  a value of DELIVERY_KEY_SECRET`

await runCommand(async () => {
  const [kind, ...rest] = process.argv.slice(2)
  if (kind === 'jwt' && rest.length === 0)
    console.log(JSON.stringify({ keys: [await generateSigningKey()] }))
  else if (kind === 'delivery' && rest.length === 0) console.log(randomBytes(32).toString('hex'))
  else throw new CommandError(USAGE)
})
