/** Copies of the database, as an operator puts one back. */
import { env } from 'cloudflare:workers'
import { restore, takeSnapshot } from '../snapshot.ts'
import type { World } from './world.ts'

export async function takeBackup(world: World): Promise<void> {
  const placed = world.orders.filter(({ isPlaced }) => isPlaced)
  world.backup = {
    snapshot: await takeSnapshot(),
    placed: new Set(placed.map(({ providerId }) => providerId)),
  }
}

/** Puts the newest copy back. What the Worker was doing goes on. The shop repeats later orders. */
export async function restoreBackup(world: World): Promise<void> {
  const { backup } = world
  if (!backup) return
  world.restores++
  await restore(backup.snapshot)
  for (const order of world.orders) {
    order.isPlaced = backup.placed.has(order.providerId)
    if (order.isLate) order.isLinked = await hasWallet(order.buyerId)
  }
}

async function hasWallet(userId: number): Promise<boolean> {
  const user = await env.DB.prepare('SELECT ethereumPublicAddr AS wallet FROM users WHERE id = ?')
    .bind(userId)
    .first<{ wallet: string }>()
  return user !== null && user.wallet !== ''
}
