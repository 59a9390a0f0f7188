/** `npm run seed`: adds a synthetic catalogue to the local database. */
import { lastIds, synthetic } from './catalogue/synthetic.ts'
import { openMigratedDatabase } from './database/local.ts'
import { CommandError, parseInteger, parseOptions, runCommand } from './shell/command.ts'

const USAGE = 'usage: npm run seed -- --users N --nfts N --orders N'

await runCommand(async () => {
  const options = parseOptions(
    { users: { type: 'string' }, nfts: { type: 'string' }, orders: { type: 'string' } },
    USAGE,
  )
  const number = (name: 'users' | 'nfts' | 'orders') =>
    parseInteger(`--${name}`, options[name] ?? '0')
  const size = { users: number('users'), nfts: number('nfts'), orders: number('orders') }
  if (size.users + size.nfts + size.orders === 0) throw new CommandError(USAGE)
  if (size.nfts > 0 && size.users < 1)
    throw new CommandError('NFTs need a creator: use --users 1 or more.')
  if (size.orders > 0 && size.nfts < 2)
    throw new CommandError('Orders need NFTs for sale: use --users 1 --nfts 2 or more.')

  const { env, close } = await openMigratedDatabase()
  try {
    const statements = synthetic(size, await lastIds(env.DB))
    for (const [i, statement] of statements.entries()) {
      await env.DB.prepare(statement).run()
      if (process.stdout.isTTY)
        process.stdout.write(`\r${Math.round(((i + 1) / statements.length) * 100)} %\r`)
    }
  } finally {
    await close()
  }
  console.log(`Added ${size.users} users, ${size.nfts} NFTs and ${size.orders} orders.`)
})
