import { describe, expect, it } from 'vitest'
import { brokenDatabase } from '../openapi/databases.ts'
import { BASE_URL } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  locationOf,
  pageOf,
  signInByEmail,
} from '../support/visitor.ts'

const logged = recordLogs()

/** A database that is down. */
const failing = { DB: brokenDatabase('D1 is down') }

it('shows an error without the menu if the database fails', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada' })
  const response = await visitor.get('/settings/account', { env: failing })
  const id = response.headers.get('x-request-id') ?? 'no id'
  const { status, html } = await pageOf(response)
  expect(status).toBe(500)
  expect(html).toContain('Something went wrong')
  expect(html).toContain(`Number of this request: <span class="code">${id}</span>`)
  expect(html).not.toMatch(/D1 is down|Menu of/)
  const missing = await pageOf(visitor.get('/nowhere', { env: failing }))
  expect(missing.status).toBe(404)
  expect(missing.html).toContain('Page not found')
  expect(missing.html).not.toContain('Number of this request')
  expect(logged('request_failed')).toHaveLength(1)
})

it('says what to do next', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, anEmail())
  const unlink = '/settings/account/email/unlink'
  const headers = { referer: `${BASE_URL}/settings/account?notice=email-linked` }
  const { status, html } = await pageOf(visitor.post(unlink, { headers }))
  expect(status).toBe(409)
  expect(html).toContain('This is your only way to sign in: link a wallet first.')
  expect(html).toContain('Nothing was changed.')
  expect(html).toContain('<a class="button" href="/settings/account">Back to the form</a>')
  // After a reload of the page above.
  const reloaded = await pageOf(visitor.get(unlink))
  expect(reloaded.status).toBe(405)
  expect(reloaded.text).toContain('This link submits a form.')
  const administrators = await pageOf(visitor.get('/settings/api-access/everyone'))
  expect(administrators.status).toBe(403)
  expect(administrators.text).toContain('sign out and sign in with it')
})

it.each([
  'https://evil.test/form',
  'no URL',
  'https://marketplace.test//evil.test/x',
  'https://marketplace.test/\\\\evil.test/x',
])('leads back to no other site: %s', async (referer) => {
  const { visitor } = await aSignedInVisitor()
  const unlink = '/settings/account/email/unlink'
  const { status, html } = await pageOf(visitor.post(unlink, { headers: { referer } }))
  expect(status).toBe(409)
  expect(html).not.toMatch(/Back to the form|evil/)
  const signedOut = aVisitor().post(unlink, { headers: { referer } })
  const signIn = '/sign-in?redirect=%2Fsettings%2Faccount&notice=not-saved'
  expect(await locationOf(signedOut)).toBe(signIn)
})

it('says that there is no page if its address is wrong', async () => {
  const { visitor } = await aSignedInVisitor()
  for (const path of ['/settings/addresses/foo/new', '/settings/addresses/billing/x']) {
    const { status, text } = await pageOf(visitor.get(path))
    expect(status).toBe(404)
    expect(text).toContain('There is nothing at this path.')
    expect(text).not.toContain('Invalid option')
  }
})

describe('a page for buyers', () => {
  const read = async (answer: Promise<Response>) => {
    const response = await answer
    return { ...(await pageOf(response)), vary: response.headers.get('vary') }
  }

  it.each([
    ['/orders/999999', 404, 'Fehler 404 Seite nicht gefunden Prüfen Sie den Link'],
    ['/sign-in/email/confirm', 405, 'Fehler 405 Diese Seite lässt sich nicht öffnen'],
  ])('tells the error at %s in the language of the user', async (path, status, message) => {
    const { visitor } = await aSignedInVisitor({ locale: 'de-AT' })
    const headers = { 'accept-language': 'fr' }
    const page = await read(visitor.get(path, { headers }))
    expect(page.status).toBe(status)
    expect(page.html).toContain('<html lang="de">')
    expect(page.text).toContain(message)
    expect(page.text).toContain('Startseite')
    expect(page.text).not.toMatch(/there is|this path/i)
    expect(page.vary).toContain('Accept-Language')
  })

  it.each([
    ['email', 'Nur damit können Sie sich anmelden: Verknüpfen Sie zuerst einen zweiten Weg.'],
    ['wallet', 'Das ist nicht mit Ihrem Konto verknüpft.'],
  ])('says in German why the %s is not unlinked', async (method, why) => {
    const visitor = aVisitor()
    await signInByEmail(visitor)
    visitor.cookies.set('language', 'de')
    const { status, html } = await read(visitor.post(`/settings/account/${method}/unlink`))
    expect(status).toBe(409)
    expect(html).toContain(`<p class="lead">${why}</p>`)
  })

  it('gives scripts why a wallet is refused', async () => {
    const visitor = aVisitor()
    await signInByEmail(visitor)
    visitor.cookies.set('language', 'de')
    const { html } = await read(visitor.get('/settings/account'))
    expect(html).toContain(
      '&quot;wallet_taken&quot;:&quot;Diese Wallet gehört zu einem anderen Konto.&quot;',
    )
  })
})
