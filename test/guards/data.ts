import type { Guard } from './guard.ts'

/** The data of catalogues, of persons and of backups. */
export const data: Guard[] = [
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
    file: 'src/marketplace/candidates.ts',
    text: 'sql`${isOrderable} AND n.releaseAt <= ${now}`',
    broken: 'sql`n.releaseAt <= ${now}`',
    test: 'test/marketplace/public.test.ts',
    title: 'hides an NFT that is',
  },
  {
    name: 'a backup is not restored over a database',
    file: 'scripts/restore.ts',
    text: 'if (results.length > 0)',
    broken: 'if (false)',
    test: 'test/scripts/backup.test.ts',
    title: 'is not restored over another one',
  },
]
