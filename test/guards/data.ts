import type { Guard } from './guard.ts'

/** The data of catalogues, of persons and of backups. */
export const data: Guard[] = [
  {
    name: 'nobody reads what an NFT holds for its buyer before the delivery',
    file: 'src/orders/order.ts',
    text: "state === 'transferred' && mayKnow ? nft : withoutSecrets(nft)",
    broken: 'state && mayKnow ? nft : withoutSecrets(nft)',
    test: 'test/orders/secrets.test.ts',
    title: 'are null for everybody while the delivery is not transferred',
  },
  {
    name: 'an import does not take away pieces that are sold',
    file: 'src/catalogue/problems.ts',
    text: "n.availableAmount - n.amount + ${value('amount')} <",
    broken: "n.availableAmount + ${value('amount')} <",
    test: 'test/catalogue/import.test.ts',
    title: 'what is refused',
  },
  {
    name: 'forgetting a person leaves no token',
    file: 'src/personal-data/forget.ts',
    text: 'DELETE FROM tokens WHERE userId = ${userId}',
    broken: 'DELETE FROM tokens WHERE userId = -${userId}',
    test: 'test/personal-data/forget.test.ts',
    title: 'leaves no text of the person in the database or the bucket',
  },
  {
    name: 'forgetting a person leaves no address',
    file: 'src/personal-data/forget.ts',
    text: '`${name} = NULL`',
    broken: '`${name} = ${name}`',
    test: 'test/personal-data/forget.test.ts',
    title: 'leaves no text of the person in the database or the bucket',
  },
  {
    name: 'public lists have nothing that is not released',
    file: 'src/marketplace/query.ts',
    text: "sql`${nfts.status} IN ('released', 'unlisted') AND ${nfts.deletedAt} IS NULL",
    broken: 'sql`TRUE',
    test: 'test/marketplace/public.test.ts',
    title: 'hides an NFT that is',
  },
  {
    name: 'a backup is not restored over a database',
    file: 'scripts/operate/backup/restore.ts',
    text: 'if (results.length > 0)',
    broken: 'if (false)',
    test: 'test/scripts/backup.test.ts',
    title: 'is not restored over another one',
  },
]
