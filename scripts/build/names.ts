/** Fails if two files of the Worker export the same name for two things. */
import { globSync, readFileSync } from 'node:fs'
import { CommandError, defineCommand, start } from '../shell/command.ts'

const exported =
  /^export (?:async )?(?:const|function\*?|class|type|interface) (?<name>[A-Za-z_$][\w$]*)/gm

export const command = defineCommand(
  {
    name: 'npx node scripts/build/names.ts',
    purpose: 'Fails if two files of src/ export the same name. Part of `npm run check`.',
    example: 'npx node scripts/build/names.ts',
  },
  () => {
    const files = new Map<string, Set<string>>()
    for (const file of globSync('src/**/*.{ts,tsx}'))
      for (const { groups } of readFileSync(file, 'utf8').matchAll(exported)) {
        const name = groups?.name ?? ''
        files.set(name, (files.get(name) ?? new Set()).add(file))
      }
    const twice = [...files].filter(([, { size }]) => size > 1)
    const problems = twice.map(
      ([name, where]) => `${name} is exported by ${[...where].sort().join(' and ')}.`,
    )
    if (problems.length > 0) throw new CommandError(problems.join('\n'))
  },
)

if (import.meta.main) await start(command)
