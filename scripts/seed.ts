/** `npm run seed`: adds a synthetic catalogue to the local database, beside what is there. */
import { type After, synthetic } from './catalogue/synthetic.ts'
import { openMigrated } from './database/local.ts'
import { command, Failure, optionsOf, wholeNumber } from './shell/command.ts'

const USAGE = 'usage: npm run seed -- --users N --nfts N --orders N'

await command(async () => {
  const options = optionsOf(
    { users: { type: 'string' }, nfts: { type: 'string' }, orders: { type: 'string' } },
    USAGE,
  )
  const number = (name: 'users' | 'nfts' | 'orders') =>
    wholeNumber(`--${name}`, options[name] ?? '0')
  const size = { users: number('users'), nfts: number('nfts'), orders: number('orders') }
  if (size.users + size.nfts + size.orders === 0) throw new Failure(USAGE)
  if (size.nfts > 0 && size.users < 1) throw new Failure('NFTs need a creator: add --users 1.')
  if (size.orders > 0 && size.nfts < 2)
    throw new Failure('Orders need something to sell: add --users 1 --nfts 2, or more.')

  const { env, close } = await openMigrated()
  try {
    const statements = synthetic(size, await lastIds(env.DB))
    for (const [i, statement] of statements.entries()) {
      await env.DB.prepare(statement).run()
      show(`${Math.round(((i + 1) / statements.length) * 100)} %`)
    }
  } finally {
    await close()
  }
  console.log(`${size.users} users, ${size.nfts} NFTs and ${size.orders} orders added.`)
})

/** Progress on one line of a terminal, and nothing elsewhere. */
function show(text: string) {
  if (process.stdout.isTTY) process.stdout.write(`\r${text}\r`)
}

async function lastIds(d1: D1Database): Promise<After> {
  const tables = ['users', 'addresses', 'nfts', 'listings', 'orders', 'orderItems']
  const columns = tables.map((table) => `(SELECT coalesce(max(id), 0) FROM ${table}) AS ${table}`)
  const last = await d1.prepare(`SELECT ${columns.join(', ')}`).first<After>()
  if (!last) throw new Error('the database gave no ids')
  return last
}
