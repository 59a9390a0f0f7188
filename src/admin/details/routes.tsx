/** The pages that operators have of an order and a user. */

import { eq, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import * as z from 'zod'
import { readAsUser } from '../../auth/session.ts'
import { parseNamespace } from '../../auth/sources.ts'
import { forbidMint, permitMint, selectMintPermissions } from '../../creators/mint-permissions.ts'
import { orders, type Paid } from '../../db/schema/orders.ts'
import { isGuestSql, users } from '../../db/schema/users.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { EmailAddress, flagText, idText, inputText } from '../../http/inputs.ts'
import { setApproval } from '../../identity/approval.ts'
import { correctEmail } from '../../identity/correct-email.ts'
import { EthereumAddress } from '../../identity/wallet-address.ts'
import { mailCorrection } from '../../mail/mail.ts'
import { sendAgain } from '../../order-mails/resend.ts'
import { idAfterNumber, orderNumber } from '../../orders/number.ts'
import {
  EmailField,
  handleForm,
  LinkButton,
  PostButton,
  Problem,
  parseForm,
  Submit,
  useProblem,
} from '../../pages/components/forms.tsx'
import { Section } from '../../pages/components/lists.tsx'
import { type Found, usePage } from '../../pages/components/request.ts'
import { displayName, formatMoney, pathWith } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { sent, shown } from '../../pages/page.tsx'
import { RecentSignIn } from '../../pages/settings.tsx'
import { Details, Listings, requireFound } from '../components/details.tsx'
import { adminPage, LIMIT, listPath, OrderName, UserLink } from '../components/layout.tsx'
import { selectFoundListings } from '../components/listings.tsx'
import { placedWith, selectTransfers, TransferRows } from '../components/transfers.tsx'
import { MintPermissions } from './mint-permissions.tsx'

const Id = z.object({ id: idText })
const MintForm = z.object({
  network: inputText(100),
  contract: inputText(1000),
  permitted: flagText,
})
const Contract = z.object({ contract: EthereumAddress })

export const detailsRoutes = new Endpoints()
  .get('/operations/orders/:id', shown.administrator({ param: Id }), orderPage)
  .post(
    '/operations/orders/:id/mail',
    sent.administrator({ param: Id }),
    handleForm(orderPage, 'mail', async (c, { param: { id } }) => {
      await sendAgain({ email: c.env.EMAIL, ...c.var }, { orderId: id })
      return c.redirect(`/operations/orders/${id}?notice=mailed`, 303)
    }),
  )
  .get('/operations/users/:id', shown.administrator({ param: Id }), userPage)
  .post(
    '/operations/users/:id/approval',
    sent.administrator({ param: Id, form: z.object({ approved: flagText }) }),
    handleForm(userPage, 'approval', async (c, { param: { id: userId }, form: { approved } }) => {
      await setApproval(c.var, { userId, approved })
      const notice = approved ? 'approved' : 'disapproved'
      return c.redirect(`/operations/users/${userId}?notice=${notice}`, 303)
    }),
  )
  .post(
    '/operations/users/:id/mint-permissions',
    sent.administrator({ param: Id, form: MintForm }),
    handleForm(userPage, 'contract', async (c, { param: { id: userId }, form }) => {
      const { permitted, ...permission } = { ...form, ...parseForm(Contract, form) }
      await (permitted ? permitMint : forbidMint)(c.var, { userId, ...permission })
      return c.redirect(`/operations/users/${userId}?notice=saved`, 303)
    }),
  )
  .post(
    '/operations/users/:id/email',
    sent.administrator({ param: Id, form: z.object({ email: inputText(1000) }) }),
    handleForm(userPage, 'email', async (c, { param: { id: userId }, form }) => {
      const { email } = parseForm(z.object({ email: EmailAddress }), form)
      const before = await correctEmail(c.var, { userId, email })
      const mailer = { ...c.var, email: c.env.EMAIL }
      const { locale } = before
      c.executionCtx.waitUntil(
        Promise.all([
          mailCorrection(mailer, before.email, { whose: 'before', locale }),
          mailCorrection(mailer, email, { whose: 'after', locale }),
        ]),
      )
      return c.redirect(`/operations/users/${userId}?notice=corrected`, 303)
    }),
  )

async function userPage(c: Context<AppWithCaller>, { param }: { param: { id: number } }) {
  const { account, ...found } = await readUserDetails(c.var, param.id)
  const title = `User ${param.id}`
  return adminPage(c, { title, account, scripts: ['dialog.js'] }, <UserPage {...found} />)
}

const notices: Record<string, string> = {
  approved: 'The user may sell now.',
  disapproved: 'The user may not place orders any more, and sells nothing at a fixed price.',
  corrected:
    'The e-mail address is corrected. Both addresses are told by mail, and the new one gets the links of the orders that wait for a wallet.',
  mailed: 'The mail was sent again.',
  saved: 'The permissions are changed.',
}

async function orderPage(c: Context<AppWithCaller>, { param }: { param: { id: number } }) {
  const { account, ...found } = await readOrderDetails(c.var, param.id)
  const title = `Order ${orderNumber(found.order)}${idAfterNumber(found.order)}`
  return adminPage(c, { title, account }, <OrderPage {...found} />)
}

const describePaid = ({ currency, ...paid }: Paid): string =>
  [
    formatMoney(paid.grossCents, currency),
    paid.taxCents !== null && `with ${formatMoney(paid.taxCents, currency)} of tax`,
    paid.discountCents !== null &&
      `after a discount of ${formatMoney(paid.discountCents, currency)}`,
    paid.invoiceNumber !== null && `invoice ${paid.invoiceNumber}`,
  ]
    .filter((part) => part !== false)
    .join(', ')

async function readOrderDetails(ctx: Ctx, id: number) {
  const { order, ...others } = await readAsUser(ctx, {
    order: ctx.db.select().from(orders).where(eq(orders.id, id)),
    transfers: selectTransfers(ctx.db, sql`i.orderId = ${id}`),
  })
  return { order: requireFound(order), ...others }
}

async function readUserDetails(ctx: Ctx, id: number) {
  const { user, ...others } = await readAsUser(ctx, {
    user: ctx.db.select().from(users).where(eq(users.id, id)),
    /** The same user, if nobody has proved the e-mail address. */
    guests: raw<{ id: number }>(ctx.db)`SELECT id FROM users WHERE id = ${id} AND email <> ''
      AND ${isGuestSql('users')} AND removedAt IS NULL`,
    bought: selectTransfers(ctx.db, sql`o.buyerId = ${id} ORDER BY o.id DESC LIMIT ${LIMIT}`),
    sold: selectTransfers(ctx.db, sql`i.sellerId = ${id} ORDER BY i.orderId DESC LIMIT ${LIMIT}`),
    listings: selectFoundListings(ctx, sql`l.sellerId = ${id}`),
    permissions: selectMintPermissions(ctx, id),
  })
  return { user: requireFound(user), ...others }
}

const OrderPage = ({ order, transfers }: Found<typeof readOrderDetails>) => (
  <Details
    notice={notices[usePage().notice ?? '']}
    title={<OrderName id={order.id} providerId={order.providerId} />}
    facts={[
      [
        'Placed with',
        <a href={listPath({ source: parseNamespace(order.namespace).name })}>
          {placedWith(order.namespace)}
        </a>,
      ],
      ['Placed', <Time at={order.createdAt} />],
      ['Total', formatMoney(order.totalPriceCents, order.totalPriceCurrency)],
      ['Paid', order.paid && <bdi>{describePaid(order.paid)}</bdi>],
      ['Buyer', <UserLink id={order.buyerId} name={transfers[0]?.buyerName ?? null} />],
    ]}
  >
    <h2>Transfers</h2>
    <TransferRows transfers={transfers} empty="There are none." />
    {transfers.some(({ status }) => /^(awaiting_wallet|transferred|failed)$/.test(status)) && (
      <PostButton action={`/operations/orders/${order.id}/mail`}>
        Send the mail about this state again
      </PostButton>
    )}
    <Problem id="mail-problem" text={useProblem('mail')} />
  </Details>
)

const UserPage = ({
  user,
  guests,
  bought,
  sold,
  listings,
  permissions,
}: Found<typeof readUserDetails>) => (
  <Details
    notice={notices[usePage().notice ?? '']}
    title={[`User ${user.id}: `, user.removedAt ? 'data removed' : <bdi>{displayName(user)}</bdi>]}
    facts={[
      ['User name', user.username],
      ['E-mail', user.email],
      ['Wallet', user.ethereumPublicAddr && <span class="hash">{user.ethereumPublicAddr}</span>],
      ['Joined', <Time at={user.createdAt} />],
      ['Approved', user.approvedAt && <Time at={user.approvedAt} />],
      [
        'Access',
        <a href={`/settings/api-access/everyone?owner=${user.id}`}>Tokens and sessions</a>,
      ],
    ]}
  >
    {!user.removedAt && <Approval id={user.id} approved={user.approved} />}
    {guests.length > 0 && <CorrectEmail id={user.id} />}
    {!user.removedAt && <MintPermissions id={user.id} permissions={permissions} />}
    <h2>Bought last</h2>
    <TransferRows transfers={bought} empty="The user has bought nothing." />
    <h2>Sold last</h2>
    <TransferRows transfers={sold} empty="The user has sold nothing." />
    <h2>Listings</h2>
    <Listings listings={listings} />
    <p class="actions">
      <LinkButton href={pathWith('/operations/listings', { seller: user.id })}>
        All listings
      </LinkButton>
      <LinkButton href={pathWith('/operations/nfts', { creator: user.id })}>All NFTs</LinkButton>
    </p>
  </Details>
)

/** User tokens place orders for what their user sells. */
const Approval = ({ id, approved }: { id: number; approved: boolean }) => (
  <form method="post" action={`/operations/users/${id}/approval`} class="actions">
    <input type="hidden" name="approved" value={approved ? 'false' : 'true'} />
    <Submit>{approved ? 'Take back the approval' : 'Approve as a seller'}</Submit>
    <Problem id="approval-problem" text={useProblem('approval')} />
  </form>
)

/** A guest has a wrong address if the shop has got it wrong. */
const CorrectEmail = ({ id }: { id: number }) => (
  <Section id="correct" title="Correct the e-mail address">
    <p class="hint">
      Nobody has signed in with it yet. Links that were sent to it stop working, and both addresses
      are told by mail.
    </p>
    <RecentSignIn toDo="correct an e-mail address" path={`/operations/users/${id}`}>
      <form method="post" action={`/operations/users/${id}/email`} class="panel inline-form">
        <EmailField label="Right e-mail address" />
        <Submit>Correct</Submit>
      </form>
    </RecentSignIn>
  </Section>
)
