/** The pages of buyers, in the language of whoever reads them. */
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { de } from '../../src/texts/de.ts'
import { en } from '../../src/texts/en.ts'
import { aShop, billingData, sold } from '../orders/shop.ts'
import { BASE_URL } from '../support/api.ts'
import { anAddress, db } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  locationOf,
  mailedLink,
  pageOf,
  secretOf,
  signInByEmail,
  textOf,
  type Visitor,
} from '../support/visitor.ts'
import { flatten } from '../texts/flatten.ts'

/** Reads a page: its HTML, and its text with single spaces. */
async function read(visitor: Visitor, path: string, language?: string) {
  const headers = language ? { 'accept-language': language } : {}
  const response = await visitor.get(path, { headers })
  const { html, text } = await pageOf(response)
  const [, lang] = /<html lang="([^"]*)">/.exec(html) ?? []
  return { response, html, text, lang }
}

it.each([
  ['en-GB,en;q=0.5', 'en', 'Sign in', 'You need no password.'],
  ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Anmelden', 'Sie brauchen kein Passwort.'],
  ['', 'en', 'Sign in', 'You need no password.'],
])('signs in with a browser that accepts %s', async (accepted, language, title, hint) => {
  const { response, html, text, lang } = await read(aVisitor(), '/sign-in', accepted)
  expect(lang).toBe(language)
  expect(html).toContain(`<title>${title} · Marketplace</title>`)
  expect(text).toContain(hint)
  expect(response.headers.get('vary')).toContain('Accept-Language')
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  // English scripts need no texts.
  expect(html.includes('data-texts="')).toBe(language !== 'en')
})

it('shows what is for developers in English, with an English header', async () => {
  const { response, lang, text } = await read(aVisitor(), '/docs', 'de')
  expect(lang).toBe('en')
  expect(text).toContain('Sign in')
  expect(response.headers.get('vary') ?? '').not.toContain('Accept-Language')
})

it.each([
  ['/settings/profile', { name: '', username: 'x' }, 'Dieser Benutzername ist nicht möglich'],
  ['/settings/addresses/delivery/new', { city: ' ' }, 'Füllen Sie dieses Feld aus.'],
  ['/settings/addresses/delivery/new', { city: 'x'.repeat(256) }, 'Dieser Wert ist hier nicht'],
])('says on %s in German what is wrong with %o', async (path, form, problem) => {
  const { visitor } = await aSignedInVisitor({ locale: 'de' })
  const { html } = await pageOf(visitor.post(path, { form }))
  expect(html).toContain(`-problem">${problem}`)
})

describe('a sign-in', () => {
  const localeOf = async (email: string) =>
    (await db.select({ locale: users.locale }).from(users).where(eq(users.email, email)))[0]?.locale

  async function signIn(email: string, language: string) {
    const visitor = aVisitor()
    const headers = { 'accept-language': language }
    await visitor.post('/sign-in/email', { form: { email }, headers })
    const link = mailedLink(visitor)
    await visitor.post('/sign-in/email/confirm', { form: { secret: secretOf(link) }, headers })
    return visitor
  }

  it('mails the link in the language of the browser, and keeps it for the user', async () => {
    const email = anEmail()
    const visitor = await signIn(email, 'de-AT,de;q=0.9')
    expect(visitor.mails.map(({ subject }) => subject)).toEqual([
      'Ihr Anmeldelink (marketplace.test)',
    ])
    expect(visitor.mails[0]?.text).toBe(
      [
        'Öffnen Sie diesen Link, um sich anzumelden:',
        `https://marketplace.test${mailedLink(visitor)}`,
        'Der Link funktioniert einmal und gilt 15 Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Wir fragen nie nach einem Passwort.\n',
      ].join('\n\n'),
    )
    expect(visitor.mails[0]?.html).toContain('<html lang="de">')
    expect(await localeOf(email)).toBe('de-AT')
    // Also in another browser.
    const { lang, text } = await read(visitor, '/orders', 'fr')
    expect(lang).toBe('de')
    expect(text).toContain('Sie haben noch nichts gekauft.')
  })

  it('takes the language of the newest one, and stays if the browser names none', async () => {
    const email = anEmail()
    await signIn(email, 'fr')
    expect(await localeOf(email)).toBe('fr')
    await signIn(email, 'it')
    expect(await localeOf(email)).toBe('it')
    await signIn(email, 'ja')
    expect(await localeOf(email)).toBe('it')
    await signInByEmail(aVisitor(), email)
    expect(await localeOf(email)).toBe('it')
  })
})

describe('an order', () => {
  async function anOrder(locale: string) {
    const { visitor, user } = await aSignedInVisitor({ locale })
    const { token, input } = await aShop({ nft: { title: 'Moon', amount: 5000 } })
    const buys = { buyerUserId: user.id, buyerBillingData: billingData, providerId: 'A-1' }
    const given = { ...input, quantity: 1200, ...buys }
    const { order, item } = await sold(token, given)
    return { visitor, path: `/orders/${order.id}`, id: order.id, itemId: item.id }
  }

  it.each([
    ['de-AT', '1\u00a0200 Stück', '€ 12.000,00', 'Wird versandt', 'Bestellung'],
    ['fr', '1\u202f200 exemplaires', '12\u202f000,00 €', 'Envoi en cours', 'Commande'],
    ['ja', '1,200 pieces', '€12,000.00', 'Being sent', 'Order'],
  ])('has numbers and prices as in %s', async (locale, pieces, price, step, order) => {
    const { visitor, path } = await anOrder(locale)
    const { html } = await read(visitor, path)
    const text = html.replaceAll(/<[^>]*>/g, ' ')
    expect(text).toContain(pieces)
    expect(text.replaceAll('\u00a0', ' ')).toContain(price)
    expect(text).toContain(step)
    expect(html).toContain(`<title>${order} A-1 · Marketplace</title>`)
  })
})

describe('a buyer who reads German', () => {
  const words = (text: string) =>
    new RegExp(`(?<!\\p{L})${text.replaceAll(/[.?*+()[\]]/g, '\\$&')}(?!\\p{L})`, 'u')
  const { mail: _mails, ...shown } = en
  const german = flatten(de).map(([, text]) => text)
  /** What the English texts have besides values, unless a German one has it. */
  const english = flatten(shown)
    .flatMap(([, text]) => text.split(/⟨\d⟩/).map((part) => part.trim()))
    .filter((part) => part.length > 3 && !german.some((text) => words(part).test(text)))

  /** What people see or hear of a page, each text on a line. */
  const saidOn = (html: string) =>
    html
      .replace(/ data-texts="[^"]*"/, '')
      .replaceAll(/<(script|style).*?<\/\1>/gs, '')
      .replaceAll(/ (?:alt|aria-label|content|placeholder|title)="([^"]*)"/g, '>\n$1\n<i')
      .replaceAll(/<[^>]*>/g, '\n')

  it('sees no English text', async () => {
    const { visitor, user } = await aSignedInVisitor({ language: 'de' })
    await anAddress(user, { kind: 'delivery', name: 'Ada' })
    const { token, input } = await aShop({ nft: { title: 'Mond', amount: 3 } })
    const { order, item } = await sold(token, {
      ...{ ...input, quantity: 1, buyerUserId: user.id, buyerBillingData: billingData },
    })
    const pages = [
      ...['/', '/nfts', '/nfts?q=x', `/nfts/${item.nftId}`, '/orders', `/orders/${order.id}`],
      ...['/orders?side=sold', '/collection', '/nowhere', '/sign-in'],
      ...['/settings/profile', '/settings/account', '/settings/sessions', '/settings/selling'],
      ...['/settings/addresses', '/settings/addresses/billing/new', '/create', '/create/new'],
      '/create/a?token=1%3A2&amountType=limited',
    ]
    for (const path of pages) {
      const reader = path === '/sign-in' ? aVisitor() : visitor
      const { html, lang } = await read(reader, path, 'de')
      const said = saidOn(html)
      expect([path, lang]).toEqual([path, 'de'])
      expect([path, english.filter((text) => words(text).test(said))]).toEqual([path, []])
    }
  })
})

it('shows the account and what the scripts of wallets say in the language of the user', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  await signInByEmail(visitor, email)
  await db.update(users).set({ locale: 'fr-CA' }).where(eq(users.email, email))
  const { html, text, lang } = await read(visitor, '/settings/account')
  expect(lang).toBe('fr')
  expect(text).toContain('Paramètres Profil Adresses Compte Sessions Compte')
  expect(text).toContain('Aucun portefeuille n’est associé.')
  const [, texts = ''] = /<body data-texts="([^"]*)"/.exec(html) ?? []
  expect(JSON.parse(texts.replaceAll('&quot;', '"'))).toMatchObject({
    'Looking for wallets…': 'Recherche de portefeuilles…',
  })
})

it('keeps the language that was chosen in the foot, also after a sign-in elsewhere', async () => {
  const [visitor, email] = [aVisitor(), anEmail()]
  const choose = (language: string, from = '/sign-in') =>
    locationOf(visitor.post('/language', { form: { language }, headers: { referer: from } }))
  expect((await read(visitor, '/sign-in', 'fr')).text).toContain('English Deutsch Français')
  expect(await choose('it', `${BASE_URL}/sign-in?notice=required`)).toBe(
    'https://marketplace.test/sign-in?notice=required',
  )
  expect((await read(visitor, '/sign-in', 'fr')).lang).toBe('it')
  await signInByEmail(visitor, email)
  expect(visitor.mails[0]?.subject).toBe('Il tuo link di accesso (marketplace.test)')
  expect(await choose('es', 'https://evil.example/')).toBe('/')
  const other = aVisitor()
  await signInByEmail(other, email)
  expect((await read(other, '/orders', 'fr')).lang).toBe('es')
  expect((await visitor.post('/language', { form: { language: 'xx' } })).status).toBe(400)
})

it('shows name, logo, colour, operator, documents and support of the instance', async () => {
  const env = {
    INSTANCE_NAME: 'Galerie & Söhne',
    INSTANCE_LOGO: 'https://cdn.example/logo.png',
    INSTANCE_COLOR: '#ffd400',
    OPERATOR_NAME: 'Galerie Söhne GmbH',
    SUPPORT_EMAIL: 'hilfe@galerie.example',
    LEGAL_LINKS: { imprint: 'https://galerie.example/impressum' },
  } as unknown as Partial<Env>
  const headers = { 'accept-language': 'de' }
  const response = await aVisitor().get('/sign-in', { env, headers })
  const policy = response.headers.get('content-security-policy')
  const html = await response.text()
  expect(html).toContain(' · Galerie &amp; Söhne</title>')
  expect(html).toContain('<img src="https://cdn.example/logo.png" alt="" height="24"/>')
  expect(policy).toContain("; img-src 'self' data: https://cdn.example; ")
  const [, nonce] = /<style nonce="([^"]+)">:root\{--button:#ffd400;/.exec(html) ?? []
  expect(policy).toContain(`; style-src 'self' 'nonce-${nonce}'; `)
  const foot = textOf(/<footer.*<\/footer>/s.exec(html)?.[0] ?? '')
  expect(foot).toContain(
    'Italiano Galerie Söhne GmbH Impressum Fragen: hilfe@galerie.example API-Referenz',
  )
  const bare = await (await aVisitor().get('/sign-in', { headers })).text()
  expect(textOf(/<footer.*<\/footer>/s.exec(bare)?.[0] ?? '')).toMatch(
    /Italiano marketplace.test API-Referenz$/,
  )
})
