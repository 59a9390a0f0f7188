import type { Guard } from './guard.ts'

/** The data of catalogues, of persons and of backups. */
export const data: Guard[] = [
  {
    name: 'nobody reads what an NFT holds for its buyer before the delivery',
    code: 'src/orders/reading/read.ts: isReleasedTo',
    broken: { condition: 'transferred', becomes: true },
    test: 'test/orders/secrets.test.ts: are null for everybody while the delivery is not transferred',
  },
  {
    name: 'nobody gets the files of an order before the delivery',
    code: 'src/content/release.ts: findReleased',
    broken: { condition: "state 'transferred'", becomes: false },
    test: 'test/content/release.test.ts: is for nobody in any other state of the delivery',
  },
  {
    name: 'a URL of a file releases nothing once a fork has undone the delivery',
    code: 'src/content/download.ts: findFile',
    broken: { condition: "state = 'transferred'", becomes: true },
    test: 'test/content/release.test.ts: is for nobody in any other state of the delivery',
  },
  {
    name: 'only who holds the token gets the content of holders',
    code: 'src/content/release.ts: readContentOfHolder',
    broken: { condition: '!holds', becomes: false },
    test: 'test/content/holders.test.ts: gives the content to who holds the token now',
  },
  {
    name: 'creators do not read the codes of buyers',
    code: 'src/content/release.ts: readContentOfOrder',
    broken: { condition: 'personOf', becomes: false },
    test: 'test/content/codes.test.ts: are read by the buyer and by master tokens, once it is delivered',
  },
  {
    name: 'nothing is sold whose files are missing',
    code: 'src/orders/placing/guards.ts: refuseChanged',
    broken: { condition: 'nfts.missingFiles', becomes: true },
    test: 'test/content/upload.test.ts: is not sold by a call that was checked before a file went missing',
  },
  {
    name: 'an import does not take away pieces that are sold',
    code: 'src/catalogue/problems.ts: checks',
    broken: { condition: 'n.availableAmount <', becomes: false },
    test: 'test/catalogue/import.test.ts: what is refused',
  },
  {
    name: 'forgetting a person leaves no token',
    code: 'src/personal-data/forget.ts: removals',
    broken: { without: 'tokens' },
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
