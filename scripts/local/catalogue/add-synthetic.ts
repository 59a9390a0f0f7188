/** Adds synthetic data to the local database. */
import { openMigratedDatabase } from '../../operate/database/local.ts'
import { lastIds, type Size, synthetic } from './synthetic.ts'

export async function addSynthetic(size: Size): Promise<void> {
  await using local = await openMigratedDatabase()
  const { DB } = local.env
  const statements = synthetic(size, await lastIds(DB))
  for (const [i, statement] of statements.entries()) {
    await DB.prepare(statement).run()
    if (process.stdout.isTTY)
      process.stdout.write(`\r${Math.round(((i + 1) / statements.length) * 100)} %\r`)
  }
  console.log(`Added ${size.users} users, ${size.nfts} NFTs and ${size.orders} orders.`)
}
