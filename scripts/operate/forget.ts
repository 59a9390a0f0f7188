/** `npm run forget -- --user N`: removes the data of a person. */
import type { MarketplaceClient } from '../../client/src/index.ts'
import { ask } from '../shell/ask.ts'
import { CommandError, defineCommand, parseInteger, start } from '../shell/command.ts'
import {
  instanceOptions,
  instanceVariables,
  parseInstance,
  withInstance,
} from '../shell/instance.ts'

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
    await withInstance(parseInstance(instance), async (client) => {
      await client.forgetPerson({ id, dryRun: 'true' })
      if (!yes) await confirm(client, id)
      const { removedAt } = await client.forgetPerson({ id })
      console.log(`Removed the data of user ${id}. The account was closed at ${removedAt}.`)
    })
  },
)

/** Throws a `CommandError` unless the operator types the id. */
async function confirm(client: MarketplaceClient, id: number): Promise<void> {
  const { user } = await client.getPersonalData({ id })
  const names = [user.name, user.username, user.email, user.ethereumPublicAddr].filter(Boolean)
  console.log(`This removes the data of user ${id} for good: ${names.join(', ') || 'no name'}.`)
  if (!process.stdin.isTTY) throw new CommandError('Nothing was changed. Add --yes to go on.')
  const answer = await ask(`Type ${id} to go on: `)
  if (answer !== String(id)) throw new CommandError('Nothing was changed.')
}

if (import.meta.main) await start(command)
