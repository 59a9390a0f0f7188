/** What callers see while something of the service is broken. It stays broken: this is the end. */
import { localAccount } from '../../chain/accounts.ts'
import { LOCAL_CHAIN_ID } from '../../chain/collectibles.ts'
import type { Teller } from './teller.ts'

const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }

/** Lets every INSERT into a table fail with a message. */
const failure = (table: string, message: string) =>
  `CREATE TRIGGER broken_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, '${message}'); END`

export async function outageChapter({ show, tokens, world }: Teller): Promise<void> {
  const token = tokens.shop
  await world.sql(failure('orders', 'UNIQUE constraint failed'))
  await show(409, 'placeOrders', 'request_in_progress', 'Other calls order the same NFT', {
    token,
    body: [order],
  })
  await world.sql('DROP TRIGGER broken_orders')
  await world.sql(failure('orders', 'disk failure'))
  await show(500, 'placeOrders', 'internal_error', 'The order could not be stored', {
    token,
    body: [order],
  })
  await world.sql(failure('addresses', 'disk failure'))
  await show(500, 'createAddress', 'internal_error', 'The address could not be stored', {
    token,
    body: { userId: 3 },
  })
  const { signIn, forged } = await walletMessage(show)
  await world.stopChain()
  const silent = 'The chain does not answer'
  await show(503, 'signInWithWallet', 'chain_unavailable', silent, forged)
  for (const table of ['nfts', 'addresses', 'walletNonces', 'cronRuns'])
    await world.sql(`ALTER TABLE ${table} RENAME TO ${table}_`)
  const summary = 'The database lacks a migration'
  await show(503, 'placeOrders', 'not_ready', summary, { token, body: [order] })
  const mine = { token, parameters: { user_id: 'me' } }
  await show(503, 'listDeliveryAddresses', 'not_ready', summary, mine)
  await show(503, 'signInWithWallet', 'not_ready', summary, signIn)
  await show(503, 'getHealth', 'not_ready', summary)
}

/** `forged` is not signed by the key, so the chain has to be asked whether the wallet is a contract. */
async function walletMessage(show: Teller['show']) {
  const account = localAccount(8)
  const request = { address: account.address, chainId: LOCAL_CHAIN_ID, purpose: 'sign-in' }
  const summary = 'For the wallet of a contract'
  const answer = await show(200, 'requestWalletMessage', 'contract', summary, { body: request })
  const { message } = answer.body as { message: string }
  const cookie = answer.cookies.join('; ')
  const signature = await account.signMessage({ message })
  return {
    signIn: { cookie, body: { message, signature } },
    forged: { cookie, body: { message, signature: `0x${'11'.repeat(65)}` } },
  }
}
