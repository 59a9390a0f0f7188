/** `npm run --silent keys`: prints a new value for the secret JWT_KEYS, and nothing else. */
import { generateSigningKey } from '../src/identity/tokens.ts'
import { command } from './shell/command.ts'

await command(async () => {
  console.log(JSON.stringify({ keys: [await generateSigningKey()] }))
})
