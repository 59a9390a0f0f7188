/**
 * `npm run contract:compile`: compiles the contracts of this folder and writes what is made from them.
 * `--check` only compares, `--standard-json` prints the input that explorers verify a source with.
 */
import { defineCommand, start } from '../scripts/shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run contract:compile',
    purpose: 'Compiles the contracts, and writes their artifacts and the ABIs for viem.',
    options: {
      check: { help: 'Only fail if a file is out of date.' },
      'standard-json': {
        help: 'Only print the input with which explorers verify contracts/Delivery.sol.',
      },
    },
    example: 'npm run contract:compile',
  },
  async ({ check, 'standard-json': standardJson }) => {
    const { compileContracts, printStandardJson } = await import('./artifacts.ts')
    await (standardJson ? printStandardJson() : compileContracts({ isCheck: check }))
  },
)

if (import.meta.main) await start(command)
