/** An operator answers the requests of persons for their data. */
import { localAccount } from '../../chain/accounts.ts'
import type { Teller } from './teller.ts'

export async function retentionChapter({ show, tokens, world }: Teller): Promise<void> {
  const token = tokens.shop
  // The user who has signed in with this wallet, and done nothing else.
  const wallet = localAccount(6).address
  const { results } = await world.sql(`SELECT id FROM users WHERE ethereumPublicAddr = '${wallet}'`)
  const person = { token, parameters: { id: Number(results[0]?.id) } }
  const page = { token, parameters: { ...person.parameters, cursor: '1000' } }
  await show(200, 'getPersonalData', 'new_user', 'What is stored of a new user', page)
  const removal = { token, parameters: { ...person.parameters, dryRun: 'false' } }
  await show(200, 'forgetPerson', 'forgotten', 'The data of the user is removed', removal)
  const seller = { token, parameters: { id: 1 } }
  await show(409, 'forgetPerson', 'conflict', 'The user is an administrator', seller)
}
