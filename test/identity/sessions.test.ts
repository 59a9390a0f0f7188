import { expect, it } from 'vitest'
import { describeBrowser } from '../../src/pages/sign-in/client.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  locationOf,
  pageOf,
  requestMessage,
  sessionIdOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'
const PAGE = '/settings/sessions'

const isSignedIn = async (visitor: Visitor) => (await visitor.get(OWN)).status === 200

/** Two browsers of one user. */
async function twoBrowsers() {
  const wallet = aWallet()
  const [laptop, phone] = [aVisitor(), aVisitor()]
  await signInByWallet(laptop, wallet)
  await signInByWallet(phone, wallet)
  return { laptop, phone, wallet }
}

const agents = {
  'Firefox (Linux)': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Edge (Windows)':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  'Safari (iOS)':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  'Chrome (Android)':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
}

it('knows browsers by their names', () => {
  for (const [name, agent] of Object.entries(agents)) expect(describeBrowser(agent)).toBe(name)
  for (const agent of ['', '<script>alert(1)</script>'])
    expect(describeBrowser(agent), agent).toBeNull()
})

it('lists the browsers of a user, with the one that asks', async () => {
  const wallet = aWallet()
  const visitor = aVisitor()
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const headers = { 'user-agent': agents['Firefox (Linux)'] }
  await visitor.postJson('/sign-in/wallet', { message, signature }, { headers })
  await signInByWallet(aVisitor(), wallet)
  const { html: page } = await pageOf(visitor.get(PAGE))
  expect(page.match(/<h3>[^<]+<\/h3>/g)?.sort()).toEqual([
    '<h3>Firefox (Linux)</h3>',
    '<h3>Unknown browser</h3>',
  ])
  expect(page.match(/This browser/g)).toHaveLength(1)
  expect(page.match(/action="\/settings\/sessions\/[^"]+\/end"/g)).toHaveLength(1)
})

it('does not list sessions of others, ended ones, and API tokens', async () => {
  const { laptop, phone } = await twoBrowsers()
  await signInByWallet(aVisitor())
  await phone.post('/sign-out')
  const page = await (await laptop.get(PAGE)).text()
  expect(page.match(/<h3>/g)).toHaveLength(1)
  expect(page).not.toContain('End all other sessions')
})

it('ends one session, or all but that of the browser', async () => {
  const { laptop, phone, wallet } = await twoBrowsers()
  const tablet = aVisitor()
  await signInByWallet(tablet, wallet)
  const states = () => Promise.all([laptop, phone, tablet].map(isSignedIn))
  const one = laptop.post(`${PAGE}/${sessionIdOf(phone)}/end`)
  expect(await locationOf(one)).toBe(`${PAGE}?notice=session-ended`)
  expect(await states()).toEqual([true, false, true])
  const others = laptop.post(`${PAGE}/end-others`)
  expect(await locationOf(others)).toBe(`${PAGE}?notice=sessions-ended`)
  expect(await states()).toEqual([true, false, false])
})

it('does not end the session of another user', async () => {
  const { laptop } = await twoBrowsers()
  const stranger = aVisitor()
  await signInByWallet(stranger)
  expect((await stranger.post(`${PAGE}/${sessionIdOf(laptop)}/end`)).status).toBe(404)
  expect((await stranger.post(`${PAGE}/end-others`)).status).toBe(303)
  expect(await isSignedIn(laptop)).toBe(true)
})

it('ends the old session of a browser that signs in anew, also as another user', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, anEmail())
  const copy = aVisitor(visitor.cookies.get('token'))
  expect(await isSignedIn(copy)).toBe(true)
  await signInByWallet(visitor)
  expect([await isSignedIn(visitor), await isSignedIn(copy)]).toEqual([true, false])
})
