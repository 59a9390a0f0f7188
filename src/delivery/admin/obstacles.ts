/** Why a transfer cannot be retried, cancelled or written off. */
import { type SQL, sql } from 'drizzle-orm'
import type { Settings } from '../../env.ts'
import { rules, usedUpReasons } from '../reasons.ts'

type Networks = Settings['NETWORKS']

/** Whether an item has failed and its key is used up: `isUsedUp` of the delivery `d`. */
export const isUsedUpSql = sql`(d.state = 'failed' AND coalesce(d.reasonCode, '') IN ${usedUpReasons})`

/** A state in which something cannot be done, and the sentence that says so. */
export type Obstacle = { when: SQL; reason: string }

/** The chain of an item. If its network was not configured when it was ordered, the chain now. */
const itemChain = (networks: Networks): SQL => {
  const chains = Object.entries(networks).map(([name, { chainId }]) => ({ name, chainId }))
  return sql`coalesce(d.chainId, (SELECT value ->> 'chainId' FROM json_each(${JSON.stringify(chains)})
    WHERE value ->> 'name' = (SELECT n.contractNetwork FROM orderItems i
      JOIN nfts n ON n.id = i.nftId WHERE i.id = d.id)))`
}

/** Whether the chain of an item is configured. */
export const isConfiguredSql = (networks: Networks): SQL => {
  const chainIds = Object.values(networks).map(({ chainId }) => chainId)
  return sql`${itemChain(networks)} IN (SELECT value FROM json_each(${JSON.stringify(chainIds)}))`
}

const obstacle = (id: number | SQL, condition: SQL, reason: string): Obstacle => ({
  when: sql`EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${id} AND ${condition})`,
  reason,
})

/** What stops each action on the item. */
export const findObstacles = (networks: Networks, id: number | SQL) => {
  const isTransferred = obstacle(id, sql`d.state = 'transferred'`, 'the NFT is transferred already')
  const isAwaiting = obstacle(id, sql`d.state = 'awaiting_wallet'`, 'the buyer has no wallet yet')
  const isCancelled = obstacle(id, sql`d.state = 'cancelled'`, 'the item is cancelled')
  const isWrittenOff = obstacle(id, sql`d.state = 'written_off'`, 'the item is written off')
  const isUsedUp = obstacle(id, isUsedUpSql, 'the delivery key is used up: write the item off')
  const isNotUsedUp = obstacle(
    id,
    sql`NOT ${isUsedUpSql}`,
    'only a failed item whose delivery key is used up can be written off',
  )
  const { sentence: reason } = rules.network_not_configured
  const isNotConfigured = obstacle(id, sql`${isConfiguredSql(networks)} IS NOT 1`, reason)
  return {
    retry: [isTransferred, isAwaiting, isCancelled, isWrittenOff, isUsedUp, isNotConfigured],
    cancel: [isTransferred, isCancelled, isWrittenOff, isUsedUp, isNotConfigured],
    write_off: [isWrittenOff, isNotUsedUp],
  }
}
