/** Whether the configured contract knows the keys that were used in earlier ones. */
import { sql } from 'drizzle-orm'
import { type Address, getAddress } from 'viem'
import { networks } from '../../../src/db/schema/delivery.ts'
import { readLineage, requireDelivery } from '../contract/delivery.ts'
import type { Network } from '../contract/networks.ts'
import type { Node } from '../contract/node.ts'
import type { SqliteDatabase } from '../database/remote.ts'

/** The contracts that deliveries were made with, by chain id. */
export type UsedContracts = ReadonlyMap<number, readonly Address[]>

/** Reads them from a database, which may be empty. */
export async function readUsedContracts(db: SqliteDatabase): Promise<UsedContracts> {
  const tables = await db.all(sql`SELECT name FROM sqlite_master WHERE name = 'networks'`)
  if (tables.length === 0) return new Map()
  const rows = await db
    .select({ chainId: networks.chainId, contracts: networks.contracts })
    .from(networks)
  return new Map(
    rows.map(({ chainId, contracts }) => [chainId, contracts.map((text) => getAddress(text))]),
  )
}

/** Returns sentences about contracts that the configured one does not replace. */
export async function findUnlinked(
  node: Node,
  network: Network,
  used: UsedContracts,
): Promise<string[]> {
  const { name, chainId } = network
  const delivery = requireDelivery(network)
  const contracts = used.get(chainId) ?? []
  if (contracts.every((contract) => contract === delivery)) return []
  const lineage = await readLineage(node, delivery)
  return contracts
    .filter((contract) => !lineage.includes(contract))
    .map(
      (contract) =>
        `The contract ${delivery} of ${name} does not know the keys that were used in ${contract}, so orders could be delivered twice. Set \`delivery\` to a contract that replaces it: one that was deployed with --predecessor ${contract}, or that follows such a contract.`,
    )
}
