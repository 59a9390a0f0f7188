/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import { randomBytes } from 'node:crypto'
import { generateSigningKey } from '../src/auth/tokens.ts'
import { runCommand } from './shell/command.ts'

await runCommand(
  {
    name: 'npm run --silent keys',
    purpose: 'Prints a new value for a secret, and nothing else.',
    actions: { jwt: 'A value of JWT_KEYS.', delivery: 'A value of DELIVERY_KEY_SECRET.' },
    example: 'npm run --silent keys -- jwt > jwt-keys.json',
  },
  async (_options, action) => {
    if (action === 'jwt') console.log(JSON.stringify({ keys: [await generateSigningKey()] }))
    else console.log(randomBytes(32).toString('hex'))
  },
)
