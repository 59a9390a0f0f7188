/** Order numbers and idempotency keys of several shops. A token name stands for one shop. */
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { listings } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema/users.ts'
import { answerOf } from '../support/api.ts'
import { aUser, db, setRow } from '../support/makers.ts'
import {
  aSignedInVisitor,
  generate,
  revoke,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'
import { aShop, ordersOf, place, placed, placeError } from './shop.ts'

const KEY = { 'idempotency-key': 'order-1' }
const isReplay = ({ headers }: Response) => headers.get('idempotent-replayed') === 'true'

const aSignedInAdministrator = () => aSignedInVisitor({ roleId: ADMINISTRATOR })
const generateMaster = (visitor: Visitor, name: string) =>
  generate(visitor, { name, role: 'master' })

it('lets two shops of one administrator use the same providerId and Idempotency-Key', async () => {
  const { input, buyer } = await aShop()
  const { visitor } = await aSignedInAdministrator()
  const shops = [await generateMaster(visitor, 'shop A'), await generateMaster(visitor, 'shop B')]
  const inputs = [{ ...input, providerId: '1' }]
  for (const { jwt } of shops) {
    const response = await place(jwt, inputs, KEY)
    expect(response.status).toBe(200)
    expect(isReplay(response)).toBe(false)
  }
  expect(await ordersOf(buyer)).toHaveLength(2)
  for (const { jwt } of shops) {
    expect(isReplay(await place(jwt, inputs, KEY))).toBe(true)
    expect(await placeError(jwt, inputs)).toMatchObject({ code: 'provider_id_used' })
  }
  expect(await ordersOf(buyer)).toHaveLength(2)
})

it('continues with the orders of a name when its token is generated again', async () => {
  const { input, buyer } = await aShop()
  const { visitor } = await aSignedInAdministrator()
  const { jwt, path } = await generateMaster(visitor, 'shop C')
  const inputs = [{ ...input, providerId: '1' }]
  const [order] = await placed(jwt, inputs, KEY)
  await revoke(visitor, path)
  expect((await place(jwt, inputs, KEY)).status).toBe(401)

  const again = await generateMaster(visitor, 'shop C')
  const replayed = await place(again.jwt, inputs, KEY)
  expect(isReplay(replayed)).toBe(true)
  expect(await replayed.json()).toMatchObject({ orders: [{ id: order?.id }] })
  expect(await placeError(again.jwt, inputs)).toMatchObject({
    status: 409,
    error: `orders[0].providerId: order ${order?.id} already has it`,
  })
  expect(await placeError(again.jwt, [{ ...input, providerId: '2' }], KEY)).toMatchObject({
    code: 'idempotency_key_reused',
  })
  // Another administrator may take over the name of a shop.
  await revoke(visitor, again.path)
  const successor = await aSignedInAdministrator()
  const taken = await generateMaster(successor.visitor, 'shop C')
  expect(await placeError(taken.jwt, inputs)).toMatchObject({ code: 'provider_id_used' })
  expect(await ordersOf(buyer)).toHaveLength(1)
})

it('keeps master tokens, user tokens and sessions of one user apart', async () => {
  const { input, buyer, listing } = await aShop()
  const { visitor, user } = await aSignedInAdministrator()
  await setRow(listings, listing.id, { sellerId: user.id })
  const tokensOfUser = [
    (await generateMaster(visitor, 'shop D')).jwt,
    (await generate(visitor, { name: 'shop D' })).jwt,
    visitor.cookies.get('token') ?? '',
  ]
  for (const token of tokensOfUser)
    expect(isReplay(await place(token, [{ ...input, providerId: '1' }], KEY))).toBe(false)
  expect(await ordersOf(buyer)).toHaveLength(3)
})

it('refuses the order numbers of a user that is created again with another id', async () => {
  const { input, listing } = await aShop()
  const { visitor, user, wallet } = await aSignedInVisitor()
  const sellBy = async ({ id }: { id: number }) => {
    await setRow(users, id, { approved: true })
    await setRow(listings, listing.id, { sellerId: id })
  }
  await sellBy(user)
  const inputs = [{ ...input, providerId: '1' }]
  const [order] = await placed((await generate(visitor)).jwt, inputs)

  // A user with a higher id exists, so the id of the deleted one is not used again.
  const other = await aUser()
  await sellBy(other)
  await db.update(orderItems).set({ sellerId: other.id }).where(eq(orderItems.sellerId, user.id))
  await db.update(deliveries).set({ placedBy: null }).where(eq(deliveries.placedBy, user.id))
  await db.delete(tokens).where(eq(tokens.userId, user.id))
  await db.delete(users).where(eq(users.id, user.id))
  visitor.cookies.clear()
  const { userId } = await answerOf<{ userId: number }>(signInByWallet(visitor, wallet))
  expect(userId).not.toBe(user.id)
  await sellBy({ id: userId })
  expect(await placeError((await generate(visitor)).jwt, inputs)).toMatchObject({
    error: `orders[0].providerId: order ${order?.id} already has it`,
  })
})
