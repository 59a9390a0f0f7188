/** What the wallet of the signed-in user has of a token contract. */
import { writeAs } from '../../auth/access.ts'
import { readHoldings } from '../../chain/holding.ts'
import { takeQuotas } from '../../db/quota.ts'
import { raw } from '../../db/statements.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError, rejected } from '../../http/errors.ts'
import { quotaOf } from '../../http/guard.ts'
import { creatorLimits } from '../../limits.ts'
import type { AskedTokens } from './asked.ts'

type Wallet = { wallet: string; walletChainId: number }

/** As `readHoldings`. Takes one of the questions that a user may ask. Throws `rate_limited`. */
export async function readOwnHoldings(
  { db, caller, now, settings }: Ctx & { settings: Settings },
  { network: name, contract, ids }: AskedTokens,
) {
  const network = settings.NETWORKS[name]
  if (!network)
    throw rejected([{ path: 'network', code: 'network_not_found', message: 'is not configured' }])
  const quota = takeQuotas(db, now, [quotaOf(creatorLimits.questions, caller.userId)])
  const { rows } = await writeAs(db, caller, quota.guards, {
    uses: quota.uses,
    rows: raw<Wallet>(db)`SELECT ethereumPublicAddr AS wallet, walletChainId FROM users
      WHERE id = ${caller.userId}`,
  })
  const [wallet] = rows
  if (!wallet) throw new ApiError('not_found', 'there is no such user')
  return readHoldings(network, { ...wallet, contract, tokenIds: ids.length > 0 ? ids : null })
}

export type OwnHoldings = Awaited<ReturnType<typeof readOwnHoldings>>
