/** `npm run seed`: adds a synthetic catalogue to the local database. */
import { CommandError, defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run seed',
    purpose:
      'Adds synthetic data to the local database. `npm run dev` creates the database, and may be running.',
    options: {
      users: { value: 'N', default: '0', help: 'Users to add.' },
      nfts: { value: 'N', default: '0', help: 'NFTs to add, with their listings.' },
      orders: { value: 'N', default: '0', help: 'Orders to add.' },
    },
    example: 'npm run seed -- --users 100 --nfts 100 --orders 1000',
  },
  async (options) => {
    const size = {
      users: parseInteger('--users', options.users),
      nfts: parseInteger('--nfts', options.nfts),
      orders: parseInteger('--orders', options.orders),
    }
    if (size.users + size.nfts + size.orders === 0) throw new UsageError('There is nothing to add.')
    if (size.nfts > 0 && size.users < 1)
      throw new CommandError('NFTs need a creator: use --users 1 or more.')
    if (size.orders > 0 && size.nfts < 2)
      throw new CommandError('Orders need NFTs for sale: use --users 1 --nfts 2 or more.')

    const { addSynthetic } = await import('./catalogue/add-synthetic.ts')
    await addSynthetic(size)
  },
)

if (import.meta.main) await start(command)
