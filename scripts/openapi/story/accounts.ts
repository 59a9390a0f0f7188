/** Addresses, avatars and wallets of users. */
import { readFile } from 'node:fs/promises'
import { localAccount } from '../../chain/accounts.ts'
import { LOCAL_CHAIN_ID } from '../../chain/collectibles.ts'
import { billing, edition } from './orders.ts'
import { type Teller, untilDelivery } from './teller.ts'

const home = { street: 'Torstraße 1', postal: '10119', city: 'Berlin', country: 'DE' }
const company = { companyName: 'Bo Buyer GmbH', taxId: 'DE123456789' }

export async function accountChapter(teller: Teller): Promise<void> {
  await keepAddresses(teller)
  await changeAvatar(teller)
  await linkWallet(teller)
}

async function keepAddresses({ show, tokens }: Teller): Promise<void> {
  const token = tokens.buyer
  const me = { token, parameters: { user_id: 'me' } }
  const body = { ...home, name: 'Bo Buyer', email: 'bo@example.com', default: true }
  const delivery = await show(200, 'createAddress', 'delivery', 'A delivery address', {
    ...{ token, body },
  })
  const billing = await show(200, 'createAddress', 'billing', 'A billing address', {
    ...{ token, parameters: { type: 'billing' }, body: { ...home, ...company } },
  })
  const forUser = {
    token: tokens.shop,
    parameters: { type: 'billing' },
    body: { userId: 3, ...home, ...company },
  }
  await show(200, 'createBillingAddress', 'for_a_user', 'A master token adds an address', forUser)
  await show(200, 'listDeliveryAddresses', 'mine', 'The own delivery addresses', me)
  const user = { token: tokens.shop, parameters: { user_id: 3 } }
  await show(200, 'listBillingAddresses', 'of_a_user', 'The billing addresses of a user', user)
  const first = { token, parameters: { id: idOf(delivery) } }
  const phone = { ...first, body: { mobilePhone: '+49 30 1234567' } }
  await show(200, 'updateDeliveryAddress', 'phone', 'Add a phone number', phone)
  const second = { token, parameters: { id: idOf(billing) } }
  const tax = { ...second, body: { taxId: null, isDefault: true } }
  await show(200, 'updateBillingAddress', 'default', 'Clear a field, and make it the default', tax)
  await show(200, 'deleteBillingAddress', 'deleted', 'Delete a billing address', second)
  await show(200, 'deleteDeliveryAddress', 'deleted', 'Delete a delivery address', first)
  const gone = { ...first, body: {} }
  await show(404, 'updateDeliveryAddress', 'not_found', 'The address was deleted', gone)
}

/** The id of the only address in an answer. */
function idOf({ body }: { body: unknown }): number {
  const [address] = Object.values(body as Record<string, { id: number }>)
  return address?.id ?? 0
}

async function changeAvatar({ show, tokens, world }: Teller): Promise<void> {
  const token = tokens.buyer
  const parameters = { user_id: 'me' }
  const picture = new Blob([await readFile('src/pages/assets/default-avatar.jpg')])
  await show(200, 'getAvatar', 'default', 'The picture of users without one', { token, parameters })
  const bytes = { token, parameters, upload: await picture.arrayBuffer() }
  await show(200, 'uploadAvatarBytes', 'uploaded', 'The new avatar', bytes)
  const file = { token, parameters, ...(await formWith(picture)) }
  await show(200, 'uploadAvatarFile', 'uploaded', 'The new avatar', file)
  const body = { avatarUrl: `http://${world.pictureHost}/bo.jpg` }
  const answer = await show(200, 'replaceAvatar', 'downloaded', 'Download a picture', {
    ...{ token, parameters, body },
  })
  const { avatarUrl } = answer.body as { avatarUrl: string }
  const [user_id, name] = new URL(avatarUrl).pathname.split('/').slice(2)
  await show(200, 'getPicture', 'picture', 'The picture', {
    parameters: { user_id, picture: name },
  })
}

async function formWith(picture: Blob) {
  const form = new FormData()
  form.set('avatar', new File([picture], 'bo.jpg', { type: 'image/jpeg' }))
  const request = new Response(form)
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  return { upload: await request.arrayBuffer(), headers }
}

async function linkWallet(teller: Teller): Promise<void> {
  const { show, send, issue, tokens } = teller
  const order = { ...edition, buyerUserId: 5, buyerBillingData: billing }
  await send('placeOrders', { token: tokens.shop, body: [order] })
  const signIn = await signedMessage(teller, 6, 'sign-in', 'To sign in')
  await show(200, 'signInWithWallet', 'new_user', 'A new wallet creates a user', signIn)
  const session = await issue(5, 'session', { kind: 'session' })
  const link = await signedMessage(teller, 7, 'link', 'To link the wallet to an account')
  const cookie = `token=${session}; ${link.cookie}`
  await show(200, 'linkWallet', 'linked', 'One order waited for the wallet', { ...link, cookie })
  await untilDelivery(teller, [7], 'transferred')
  await show(200, 'getSigningKeys', 'keys', 'The keys of this instance')
}

/** Requests a message and signs it with an account of the local chain. */
async function signedMessage({ show }: Teller, index: number, purpose: string, summary: string) {
  const account = localAccount(index)
  const body = { address: account.address, chainId: LOCAL_CHAIN_ID, purpose }
  const name = purpose.replace('-', '_')
  const answer = await show(200, 'requestWalletMessage', name, summary, { body })
  const { message } = answer.body as { message: string }
  const signature = await account.signMessage({ message })
  return { body: { message, signature }, cookie: answer.cookies.join('; ') }
}
