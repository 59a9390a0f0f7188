/** `npm run forget -- --user N`: removes the data of a person. */
import { defineCommand, parseInteger, start } from '../shell/command.ts'
import { instanceOptions, instanceVariables, parseInstance } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run forget',
    purpose:
      'Removes the data of a person for good. Orders stay, with ids and amounts only. Hand the data over first: npm run export -- --user N FILE.json.',
    options: {
      user: { value: 'N', required: true, help: 'The id of the user.' },
      yes: { help: 'Do not ask.' },
      ...instanceOptions,
    },
    variables: instanceVariables,
    example: 'npm run forget -- --user 3',
  },
  async ({ user, yes, ...instance }) => {
    const id = parseInteger('--user', user, 1)
    const environment = parseInstance(instance)
    const { forgetPerson } = await import('./forget/person.ts')
    await forgetPerson({ id, isConfirmed: yes }, environment)
  },
)

if (import.meta.main) await start(command)
