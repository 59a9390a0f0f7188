/** `npm run forge -- test`: runs Foundry, and ends with its exit code. */
import { foundryBinary } from '../scripts/local/chain/foundry.ts'
import { start } from '../scripts/shell/child.ts'

const args = process.argv.slice(2)
// The linter writes artifacts without code. In the folder of the tests, `forge test` would find no tests.
const out = { FOUNDRY_OUT: 'dist/forge/lint', FOUNDRY_CACHE: 'false' }
const env = { ...process.env, ...(args[0] === 'lint' ? out : {}) }
const { ended } = start(foundryBinary('forge'), args, { stdio: 'inherit', env })
const code = await ended
process.exitCode = typeof code === 'number' ? code : 1
