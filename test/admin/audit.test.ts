/** Operations → Audit log, as a page and as a file. */
import { beforeEach, describe, expect, it } from 'vitest'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { aUser, aWebhook, db, execute } from '../support/makers.ts'
import { aSignedInVisitor, pageOf, type Visitor } from '../support/visitor.ts'

type Entry = Partial<typeof auditLog.$inferInsert>

const AT = '2026-11-24T20:55:20.123Z'

async function anAdministrator(name: string | null = 'Ada') {
  const signedIn = await aSignedInVisitor({ roleId: ADMINISTRATOR, name })
  const record = (entry: Entry) =>
    db
      .insert(auditLog)
      .values({ at: AT, userId: signedIn.user.id, action: 'user.forget', ...entry })
  return { ...signedIn, record }
}

async function read(visitor: Visitor, query = '') {
  const page = await pageOf(visitor.get(`/operations/audit${query}`))
  expect(page.status).toBe(200)
  return page
}

/** The sentences of the page, without links. */
const sentencesIn = (html: string) =>
  [...html.matchAll(/<li class="row"><p>(.*?)<\/p>/g)].map(([, inner = '']) =>
    inner.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"'),
  )

beforeEach(async () => {
  await db.delete(auditLog)
})

it('says what was done in sentences, with absolute times', async () => {
  const { visitor, user, record } = await anAdministrator()
  const grace = await aUser({ name: null, username: 'grace' })
  const webhook = await aWebhook(user, { url: 'https://shop.example.com/hook' })
  const entries: [Entry, string][] = [
    [
      { action: 'transfer.retry', subject: '7', tokenName: 'ops' },
      'Ada with the token “ops” retried Transfer 7',
    ],
    [
      {
        action: 'transfer.retry',
        details: { status: 'failed', code: 'no_relayer', items: [1, 2] },
      },
      'Ada retried Transfer 1, Transfer 2 · status: failed · code: no_relayer',
    ],
    [
      { action: 'webhook.change', subject: webhook.id, details: { events: ['a'], enabled: false } },
      'Ada changed a webhook to shop.example.com · 1 event · enabled: false',
    ],
    [{ action: 'user.forget', subject: '5' }, 'Ada removed the data of User 5'],
    [
      { action: 'administrator.appoint', subject: `${grace.id}` },
      'Ada made grace an administrator',
    ],
  ]
  for (const [entry] of entries) await record(entry)
  const { html, text } = await read(visitor)
  expect(sentencesIn(html)).toEqual(
    entries.map(([, sentence]) => `${sentence} · 20:55:20 UTC`).reverse(),
  )
  expect(text).toContain('Tue 24 Nov 2026')
  for (const path of ['transfers/7', 'users/5', `users/${grace.id}`, `users/${user.id}`])
    expect(html).toContain(`href="/operations/${path}"`)
})

it('names who acted by name, username, e-mail address or id, and isolates names', async () => {
  for (const [values, name] of [
    [{ name: '<b>‮Ada', username: 'ada-1' }, '<bdi>&lt;b&gt;‮Ada</bdi>'],
    [{ name: null, username: 'ada-2', email: 'ada-2@example.com' }, '<bdi>ada-2</bdi>'],
    [{ name: null, email: 'ada-3@example.com' }, '<bdi>ada-3@example.com</bdi>'],
    [{ name: null }, '<bdi>User '],
  ] as const) {
    const { id: userId } = await aUser(values)
    await db.delete(auditLog)
    const { visitor, record } = await anAdministrator()
    await record({ userId })
    expect((await read(visitor)).html).toContain(name)
  }
})

it('has pages', async () => {
  const { visitor, record } = await anAdministrator()
  for (let i = 1; i <= 55; i++) await record({ action: 'transfer.retry', subject: `${i}` })
  const first = await read(visitor)
  expect(sentencesIn(first.html)).toHaveLength(50)
  const [, next = ''] = /href="\/operations\/audit(\?[^"]*before=\d+)"/.exec(first.html) ?? []
  const second = await read(visitor, next.replaceAll('&amp;', '&'))
  expect(sentencesIn(second.html)).toHaveLength(5)
  expect(second.html).not.toContain('before=')
  expect((await read(visitor, '?before=1')).text).toContain('There are no entries.')
})

describe('the filter', () => {
  it('selects by who, what and day, and keeps what was chosen', async () => {
    const grace = await anAdministrator('Grace')
    const { visitor, user, record } = await anAdministrator()
    await grace.record({ subject: '1', at: '2026-11-22T23:59:59.999Z' })
    await record({ subject: '2', at: '2026-11-23T00:00:00.000Z' })
    await record({ subject: '3', at: '2026-11-23T23:59:59.999Z', action: 'administrator.appoint' })
    await grace.record({ subject: '4', at: '2026-11-24T00:00:00.000Z' })
    const subjects = async (query: string) =>
      [...(await read(visitor, query)).html.matchAll(/users\/([1-4])"/g)].map(([, id]) => id)
    expect(await subjects('')).toEqual(['4', '3', '2', '1'])
    expect(await subjects(`?user=${grace.user.id}`)).toEqual(['4', '1'])
    expect(await subjects('?action=administrator.appoint')).toEqual(['3'])
    expect(await subjects(`?user=${user.id}&action=user.forget`)).toEqual(['2'])
    expect(await subjects('?since=2026-11-23')).toEqual(['4', '3', '2'])
    expect(await subjects('?until=2026-11-23')).toEqual(['3', '2', '1'])
    expect(await subjects('?since=2026-11-23&until=2026-11-23')).toEqual(['3', '2'])
    expect(await subjects('?since=2027-01-01')).toEqual([])
    // As the form sends it, and what makes no sense.
    expect(await subjects('?user=0&action=&since=&until=')).toHaveLength(4)
    expect(await subjects('?user=x&action=x&since=x&until=2026-99')).toHaveLength(4)
    const { html } = await read(visitor, `?user=${user.id}&action=user.forget&since=2026-11-23`)
    expect(html).toContain(`<option value="${user.id}" selected="">Ada</option>`)
    expect(html).toContain('<option value="user.forget" selected="">')
    expect(html).toContain('value="2026-11-23"')
    expect(html).toContain(`audit.csv?user=${user.id}&amp;action=user.forget&amp;since=2026-11-23"`)
  })

  it('looks at 10,000 entries for a page, and goes on where it stopped', async () => {
    const { visitor, user, record } = await anAdministrator()
    await record({ id: 1, action: 'token.roll', subject: 'x', details: { role: 'user' } })
    await record({ id: 10_000, subject: '1' })
    expect(sentencesIn((await read(visitor, '?action=token.roll')).html)).toHaveLength(1)
    await record({ id: 10_001, subject: '2' })
    const first = await read(visitor, `?action=token.roll&user=${user.id}`)
    expect(first.text).toContain('None on this page.')
    const [, next = ''] = /href="\/operations\/audit(\?[^"]*before=2)"/.exec(first.html) ?? []
    const second = await read(visitor, next.replaceAll('&amp;', '&'))
    expect(sentencesIn(second.html)).toHaveLength(1)
  })
})

describe('the file', () => {
  const download = async (visitor: Visitor, query = '') => {
    const response = await visitor.get(`/operations/audit.csv${query}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    return (await response.text()).split('\r\n')
  }

  it('has everything that matches, in more than one read', async () => {
    const { visitor, user, record } = await anAdministrator()
    await execute(
      `INSERT INTO auditLog (at, userId, action, subject)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)
      SELECT ?, ?, 'user.forget', i FROM n`,
      AT,
      user.id,
    )
    await record({ action: 'token.roll', subject: 'x', details: { role: 'user' } })
    const lines = await download(visitor, '?action=user.forget')
    expect(lines).toHaveLength(503)
    expect(lines[0]).toBe('"time","userId","user","token","action","subject","details"')
    expect(lines[1]).toContain('"user.forget","501",""')
    expect(lines[501]).toContain('"user.forget","1",""')
    expect(lines[502]).toBe('')
  })

  it('is not there with a filter that makes no sense', async () => {
    const { visitor } = await anAdministrator()
    for (const query of ['?user=x', '?action=x', '?since=x'])
      expect((await visitor.get(`/operations/audit.csv${query}`)).status).toBe(404)
  })

  it('has no text that a spreadsheet takes for a formula', async () => {
    const { visitor, user, record } = await anAdministrator('=HYPERLINK("https://evil.example")')
    for (const tokenName of ['+1', '-1', '@SUM(1)', '\t=1', ' =1', '＝1', 'a "b", c'])
      await record({ tokenName, subject: '5', details: { a: ',"' } })
    const lines = await download(visitor)
    const begin = `"${AT}","${user.id}","'=HYPERLINK(""https://evil.example"")",`
    const end = `,"user.forget","5","{""a"":"",\\""""}"`
    expect(lines.slice(1, -1)).toEqual(
      ['a ""b"", c', "'＝1", "' =1", "'\t=1", "'@SUM(1)", "'-1", "'+1"].map(
        (token) => `${begin}"${token}"${end}`,
      ),
    )
  })
})
