import type { Guard } from './guard.ts'

/** The data of catalogues, of persons and of backups. */
export const data: Guard[] = [
  {
    name: 'nobody reads what an NFT holds for its buyer before the delivery',
    code: 'src/orders/reading/order.ts: visibleNft',
    broken: { condition: 'transferred', becomes: true },
    test: 'test/orders/secrets.test.ts: are null for everybody while the delivery is not transferred',
  },
  {
    name: 'an import does not take away pieces that are sold',
    code: 'src/catalogue/problems.ts: checks',
    broken: { condition: 'n.availableAmount', becomes: false },
    test: 'test/catalogue/import.test.ts: what is refused',
  },
  {
    name: 'forgetting a person leaves no token',
    code: 'src/personal-data/forget.ts: removals',
    broken: { without: 'tokens' },
    test: 'test/personal-data/forget.test.ts: leaves no text of the person in the database or the bucket',
  },
  {
    name: 'forgetting a person leaves no address',
    code: 'src/personal-data/forget.ts: removals',
    broken: { condition: 'selectAddressIds', becomes: false },
    test: 'test/personal-data/forget.test.ts: leaves no text of the person in the database or the bucket',
  },
  {
    name: 'public lists have nothing that is not released',
    code: 'src/marketplace/query.ts: isPublicSql',
    broken: { condition: 'nfts.status', becomes: true },
    test: 'test/marketplace/public.test.ts: hides an NFT that is',
  },
  {
    name: 'a backup is not restored over a database',
    code: 'scripts/operate/backup/restore.ts: checkEmpty',
    broken: { condition: 'results', becomes: false },
    test: 'test/scripts/backup.test.ts: is not restored over another one',
  },
]
