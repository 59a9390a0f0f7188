import { expect, it } from 'vitest'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  pageOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'

const accountPage = async (visitor: Visitor) =>
  (await pageOf(visitor.get('/settings/account'))).html

it('asks before it unlinks one of two ways to sign in', async () => {
  const { visitor, user } = await aSignedInVisitor({ email: anEmail() })
  const page = await accountPage(visitor)
  for (const method of ['wallet', 'email'])
    expect(page).toMatch(
      new RegExp(
        `<dialog id="unlink-${method}"[^>]*><form method="post" action="/settings/account/${method}/unlink">`,
      ),
    )
  expect(page).toContain('src="/dialog.js"')
  expect(page).toContain(user.email)
  expect(page).toContain(user.ethereumPublicAddr)
})

it('offers to link what is missing, and unlinks nothing then', async () => {
  const byWallet = (await aSignedInVisitor()).visitor
  const byEmail = aVisitor()
  await signInByEmail(byEmail)
  const withWallet = await accountPage(byWallet)
  expect(withWallet).toContain('Address to add')
  expect(withWallet).not.toContain('id="wallets"')
  const withEmail = await accountPage(byEmail)
  expect(withEmail).toContain('id="wallets"')
  expect(withEmail).toContain('src="/wallet.js"')
  expect(withEmail).not.toContain('Address to add')
  for (const page of [withWallet, withEmail]) expect(page).not.toContain('Unlink')
})

it('asks for a new sign-in in place of the dialogs', async () => {
  const { visitor } = await aSignedInVisitor({ email: anEmail() })
  await ageSession(visitor, 11)
  const page = await accountPage(visitor)
  expect(page).toContain('Sign in again to unlink one of them.')
  expect(page).not.toContain('<dialog')
})
