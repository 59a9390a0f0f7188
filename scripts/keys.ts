/** `npm run --silent keys`: prints a new value for the secret JWT_KEYS, and nothing else. */
import { generateSigningKey } from '../src/auth/tokens.ts'
import { runCommand } from './shell/command.ts'

await runCommand(async () => {
  console.log(JSON.stringify({ keys: [await generateSigningKey()] }))
})
