/** The shops whose orders master tokens place, by the names of the tokens. */
import { writeAs } from '../../auth/access.ts'
import { recordAction } from '../../auth/audit.ts'
import { readAsUser, refuseOldSignIn } from '../../auth/session.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import type { Shop } from '../../orders/reading/shop.ts'

/** A namespace, and its shop as buyers see it: null until somebody has named it. */
export type NamedShop = { namespace: string } & { [Key in keyof Shop]: string | null }

/** Returns the signed-in administrator, and the shops of all master tokens that place orders, or did. */
export const readShops = (ctx: Pick<Ctx, 'db' | 'caller'>) =>
  readAsUser(ctx, {
    shops: raw<NamedShop>(ctx.db)`
      SELECT known.namespace, name, email, url
      FROM (SELECT namespace FROM shops UNION SELECT namespace FROM tokens
        WHERE kind = 'api' AND role = 'master' AND scope IN ('orders', 'write')
          AND revokedAt IS NULL AND rolledAt IS NULL) known
      LEFT JOIN shops ON shops.namespace = known.namespace
      ORDER BY known.namespace`,
  })

/** Stores how buyers see a shop. Throws `not_found` if no master token has the namespace. */
export async function changeShop(
  ctx: Ctx,
  {
    namespace,
    name,
    email,
    url,
  }: { namespace: string; name: string; email: string; url: string | null },
) {
  const { db, caller, now } = ctx
  const guards = [refuseOldSignIn(db, caller, now)]
  const { changed } = await writeAs(db, caller, guards, {
    changed: raw<{ namespace: string }>(db)`
      INSERT INTO shops (namespace, name, email, url, updatedAt)
      SELECT ${namespace}, ${name}, ${email}, ${url}, ${now.toISOString()}
      WHERE EXISTS (SELECT 1 FROM tokens
          WHERE namespace = ${namespace} AND kind = 'api' AND role = 'master'
            AND revokedAt IS NULL AND rolledAt IS NULL)
        OR EXISTS (SELECT 1 FROM shops WHERE namespace = ${namespace})
      ON CONFLICT DO UPDATE
        SET name = excluded.name, email = excluded.email, url = excluded.url, updatedAt = excluded.updatedAt
      RETURNING namespace`,
    record: recordAction(ctx, { action: 'shop.change', subject: namespace }),
  })
  if (changed.length === 0) throw new ApiError('not_found', 'no master token has this name')
}
