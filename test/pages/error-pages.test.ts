import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { BASE_URL } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { db } from '../support/makers.ts'
import { anEmail, aSignedInVisitor, aVisitor, signInByEmail } from '../support/visitor.ts'

const logged = recordLogs()

/** A database that is down. */
const failing = {
  DB: {
    withSession: () => ({
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: () => Promise.reject(new Error('D1 is down')),
      getBookmark: () => null,
    }),
  } as unknown as D1Database,
}

it('shows the picture and the menu of a signed-in person', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada' })
  const page = await (await visitor.get('/nowhere')).text()
  expect(page).toContain('Menu of Ada')
  expect(page).toContain('href="/">')
  const stranger = await (await aVisitor().get('/nowhere')).text()
  expect(stranger).not.toContain('Menu of')
  expect(stranger).toContain('href="/sign-in"')
})

it('shows an error without the menu if the database fails', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada' })
  const broken = await visitor.get('/settings/account', { env: failing })
  expect(broken.status).toBe(500)
  const page = await broken.text()
  expect(page).toContain('Something went wrong')
  expect(page).not.toContain('D1 is down')
  expect(page).not.toContain('Menu of')
  const missing = await visitor.get('/nowhere', { env: failing })
  expect(missing.status).toBe(404)
  expect(await missing.text()).toContain('Page not found')
  expect(logged('request_failed')).toHaveLength(1)
})

it('shows the id of the request only if the failure is ours', async () => {
  const { visitor } = await aSignedInVisitor()
  const broken = await visitor.get('/settings/account', { env: failing })
  const id = broken.headers.get('x-request-id') ?? 'no id'
  expect(await broken.text()).toContain(`Number of this request: <span class="code">${id}</span>`)
  const missing = await visitor.get('/nowhere')
  expect(await missing.text()).not.toContain('Number of this request')
})

it('says what to do next', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, anEmail())
  const unlink = '/settings/account/email/unlink'
  const headers = { referer: `${BASE_URL}/settings/account?notice=email-linked` }
  const conflict = await visitor.post(unlink, { headers })
  expect(conflict.status).toBe(409)
  const page = await conflict.text()
  expect(page).toContain('This is your only way to sign in: link a wallet first.')
  expect(page).toContain('Nothing was changed.')
  expect(page).toContain('<a class="button" href="/settings/account">Back to the form</a>')
  // After a reload of the page above.
  const reloaded = await visitor.get(unlink)
  expect(reloaded.status).toBe(405)
  expect(await reloaded.text()).toContain('This link submits a form.')
  const administrators = await visitor.get('/settings/api-access/everyone')
  expect(administrators.status).toBe(403)
  expect(await administrators.text()).toContain('sign out and sign in with it')
})

it('leads back to no other site', async () => {
  const { visitor } = await aSignedInVisitor()
  for (const referer of ['https://evil.test/form', 'no URL']) {
    const response = await visitor.post('/settings/account/email/unlink', { headers: { referer } })
    const page = await response.text()
    expect(page).not.toContain('Back to the form')
    expect(page).not.toContain('evil')
  }
})

it('answers a failure as JSON to programs', async () => {
  const { visitor } = await aSignedInVisitor()
  const headers = { accept: 'application/json' }
  const broken = await visitor.get('/settings/account', { env: failing, headers })
  expect(await broken.json()).toMatchObject({
    code: 'internal_error',
    error: 'something went wrong on our side',
  })
})

it('says that there is no page if its address is wrong', async () => {
  const { visitor } = await aSignedInVisitor()
  for (const path of ['/settings/addresses/foo/new', '/settings/addresses/billing/x']) {
    const response = await visitor.get(path)
    expect(response.status).toBe(404)
    const page = await response.text()
    expect(page).toContain('There is nothing at this path.')
    expect(page).not.toContain('Invalid option')
  }
})

it.each([
  'https://marketplace.test//evil.example/x',
  'https://marketplace.test/\\\\evil.example/x',
])('offers no way back to another host: %s', async (referer) => {
  const { visitor } = await aSignedInVisitor()
  const unlink = '/settings/account/email/unlink'
  const conflict = await visitor.post(unlink, { headers: { referer } })
  expect(conflict.status).toBe(409)
  expect(await conflict.text()).not.toContain('evil.example')
  const signedOut = await aVisitor().post(unlink, { headers: { referer } })
  expect(signedOut.status).toBe(303)
  expect(signedOut.headers.get('location')).toBe(
    '/sign-in?redirect=%2Fsettings%2Faccount&notice=not-saved',
  )
})

describe('a page for buyers', () => {
  const read = async (answer: Promise<Response>) => {
    const response = await answer
    const html = await response.text()
    const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    return { status: response.status, vary: response.headers.get('vary'), html, text }
  }

  it.each([
    ['/orders/999999', 404, 'Fehler 404 Seite nicht gefunden Prüfen Sie den Link'],
    ['/orders/1/2', 404, 'Fehler 404 Seite nicht gefunden Prüfen Sie den Link'],
    ['/claim/moon', 404, 'Fehler 404 Seite nicht gefunden Prüfen Sie den Link'],
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

  const limit = { SIGN_IN_LIMIT: { limit: async () => ({ success: false }) } }
  const ours = { 'sec-fetch-site': 'same-origin' }
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  it.each([
    { language: 'fr', status: 429, env: limit, headers: ours, title: 'Trop de tentatives' },
    { language: 'es', status: 500, env: failing, headers: ours, title: 'Algo ha fallado' },
    { language: 'it', status: 403, env: {}, headers: foreign, title: 'Non consentito' },
  ])('tells $status in the language of the browser: $language', async ({ language, ...given }) => {
    const { status, env, headers, title } = given
    const page = await read(
      aVisitor().post('/sign-in/email', {
        form: { email: anEmail() },
        headers: { ...headers, 'accept-language': language },
        env: env as Partial<Env>,
      }),
    )
    expect(page.status).toBe(status)
    expect(page.html).toContain(`<html lang="${language}">`)
    expect(page.html).toContain(`<title>${title} · Marketplace</title>`)
  })

  it('says why something conflicts, which is in English only', async () => {
    const visitor = aVisitor()
    const email = anEmail()
    await signInByEmail(visitor, email)
    await db.update(users).set({ locale: 'de' }).where(eq(users.email, email))
    const page = await read(visitor.post('/settings/account/email/unlink'))
    expect(page.text).toContain('Das ist nicht möglich')
    expect(page.html).toContain(
      '<p class="lead" lang="en">This is your only way to sign in: link a wallet first.</p>',
    )
  })
})

it('tells errors of other pages in English', async () => {
  const { visitor } = await aSignedInVisitor({ locale: 'de' })
  const page = await (await visitor.get('/nfts/999999')).text()
  expect(page).toContain('<html lang="en">')
  expect(page).toContain('There is no such NFT.')
})
