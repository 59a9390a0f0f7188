/** Removes the data of a person. */
import type { MarketplaceClient } from '../../../client/src/index.ts'
import { ask } from '../../shell/ask.ts'
import { CommandError } from '../../shell/command.ts'
import { withInstance } from '../../shell/instance.ts'

type Request = { id: number; isConfirmed: boolean }

export const forgetPerson = ({ id, isConfirmed }: Request, environment: string | undefined) =>
  withInstance(environment, async (client) => {
    await client.forgetPerson({ id, dryRun: 'true' })
    if (!isConfirmed) await confirm(client, id)
    const { removedAt } = await client.forgetPerson({ id })
    console.log(`Removed the data of user ${id}. The account was closed at ${removedAt}.`)
  })

/** Throws a `CommandError` unless the operator types the id. */
async function confirm(client: MarketplaceClient, id: number): Promise<void> {
  const { user } = await client.getPersonalData({ id })
  const names = [user.name, user.username, user.email, user.ethereumPublicAddr].filter(Boolean)
  console.log(`This removes the data of user ${id} for good: ${names.join(', ') || 'no name'}.`)
  if (!process.stdin.isTTY) throw new CommandError('Nothing was changed. Add --yes to go on.')
  const answer = await ask(`Type ${id} to go on: `)
  if (answer !== String(id)) throw new CommandError('Nothing was changed.')
}
