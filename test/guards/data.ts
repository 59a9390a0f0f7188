import type { Guard } from './guard.ts'

/** Importing a catalogue, and removing a person. */
export const data: Guard[] = [
  {
    name: 'an import with a problem writes nothing',
    file: 'src/catalogue/problems.ts',
    text: "checks.map((check) => `EXISTS (${check})`).join(' OR ')",
    broken: "checks.map((check) => `EXISTS (${check})`).join(' AND ')",
    test: 'test/catalogue/import.test.ts',
    title: 'what is refused',
  },
  {
    name: 'an import does not take away pieces that are sold',
    file: 'src/catalogue/problems.ts',
    text: "n.availableAmount - n.amount + ${value('amount')} < 0",
    broken: "n.availableAmount + ${value('amount')} < 0",
    test: 'test/catalogue/import.test.ts',
    title: 'what is refused',
  },
  {
    name: 'an import does not rename users who have signed in',
    file: 'src/catalogue/write.ts',
    text: 'users.externalId = r.externalId AND users.lastAccessAt IS NULL',
    broken: 'users.externalId = r.externalId',
    test: 'test/catalogue/import.test.ts',
    title: 'keep their own names once they have signed in',
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
    name: 'forgetting a person leaves no picture',
    file: 'src/personal-data/forget.ts',
    text: 'if (objects.length > 0) await bucket.delete(',
    broken: 'if (objects.length < 0) await bucket.delete(',
    test: 'test/personal-data/forget.test.ts',
    title: 'leaves no text of the person in the database or the bucket',
  },
  {
    name: 'forgetting a person changes nothing of others',
    file: 'src/personal-data/forget.ts',
    text: 'UPDATE orderItems SET ethRecipient = NULL, recipientChainId = 0\n      WHERE orderId IN',
    broken:
      "UPDATE orderItems SET ethRecipient = NULL, recipientChainId = 0\n      WHERE '' = '' OR orderId IN",
    test: 'test/personal-data/forget.test.ts',
    title: 'changes nothing of other people',
  },
  {
    name: 'administrators are not forgotten',
    file: 'src/personal-data/forget.ts',
    text: 'WHERE id = ${userId} AND roleId = ${ADMINISTRATOR})',
    broken: 'WHERE id = ${userId} AND roleId = -${ADMINISTRATOR})',
    test: 'test/personal-data/forget.test.ts',
    title: 'is refused for administrators and unknown users',
  },
  {
    name: 'nobody is forgotten whose NFTs are on their way',
    file: 'src/personal-data/forget.ts',
    text: "d.state NOT IN ('transferred', 'cancelled')",
    broken: "d.state = ''",
    test: 'test/personal-data/forget.test.ts',
    title: 'is refused to buyer and seller while an item is',
  },
]
